"""One folder per screen. Handlers authorise, parse, call one service and copy the result; nothing else."""
