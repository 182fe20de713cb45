"""For Reflex's own command line only: the console builds and installs its configuration in code."""

from console.webconfig import make_config, prepare_environment

prepare_environment()
config = make_config(origins=("http://localhost:3000",))
