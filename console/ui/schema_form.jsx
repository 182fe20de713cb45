import { useEffect, useLayoutEffect, useRef, useState } from "react";

const PAUSE_MS = 150;
const NUMBERS = { integer: "numeric", number: "decimal" };
const CHOICES = ["enum", "boolean"];

// One value as it is typed. The server's text is taken only when `turn` changes: a late answer of the server
// must not overwrite what was typed since, and a widget must not be exchanged under the hands of who types.
export function Typed({ kind, text, turn, options, blank, onText, ...rest }) {
  const [local, setLocal] = useState(text ?? "");
  const [widget, setWidget] = useState(kind);
  const [seen, setSeen] = useState(turn);
  const waiting = useRef(null);
  const send = useRef(onText);
  send.current = onText;
  if (turn !== seen) {
    setSeen(turn);
    setLocal(text ?? "");
    setWidget(kind);
  }
  useEffect(() => () => {
    clearTimeout(waiting.current?.timer);
    waiting.current = null;
  }, [turn]);
  const flush = () => {
    if (!waiting.current) return;
    const { timer, value } = waiting.current;
    clearTimeout(timer);
    waiting.current = null;
    send.current?.(value);
  };
  const type = (value, pause) => {
    setLocal(value);
    clearTimeout(waiting.current?.timer);
    waiting.current = { value, timer: setTimeout(flush, pause) };
    if (!pause) flush();
  };
  const common = {
    ...rest,
    value: local,
    onBlur: flush,
    // What is submitted by the keyboard is what stands in the field.
    onKeyDown: (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && flush(),
  };
  if (CHOICES.includes(widget)) {
    const known = (options ?? []).some((each) => each.text === local);
    return (
      <select {...common} onChange={(event) => type(event.target.value, 0)}>
        {known && rest["aria-required"] ? null : <option value="">{blank}</option>}
        {known || local === "" ? null : <option value={local}>{local}</option>}
        {(options ?? []).map((each) => (
          <option key={each.text} value={each.text}>
            {each.label}
          </option>
        ))}
      </select>
    );
  }
  const typed = {
    ...common,
    placeholder: blank,
    spellCheck: false,
    autoComplete: "off",
    onChange: (event) => type(event.target.value, PAUSE_MS),
  };
  if (widget === "area") return <textarea {...typed} rows={1} />;
  if (widget === "json") return <textarea {...typed} rows={1} className="mono" data-testid="raw-json" />;
  if (widget in NUMBERS) return <input {...typed} type="text" className="num" inputMode={NUMBERS[widget]} />;
  if (widget === "date") return <input {...typed} type="date" className="num" />;
  return <input {...typed} type="text" inputMode={{ email: "email", uri: "url" }[widget]} />;
}

// Takes a name: for a new key, or, behind a button, for one that is renamed.
export function NameBox({ label, verb, name, folded, onName, ...rest }) {
  const [open, setOpen] = useState(!folded);
  const [typed, setTyped] = useState(name ?? "");
  const give = () => {
    if (typed === (name ?? "")) return;
    onName?.(typed);
    setTyped(name ?? "");
    if (folded) setOpen(false);
  };
  const keys = (event) => {
    if (event.key === "Escape" && folded) setOpen(false);
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    give();
  };
  if (!open)
    return (
      <button type="button" className="word-button" aria-label={label} onClick={() => setOpen(true)} {...rest}>
        {verb}
      </button>
    );
  return (
    <span className="name-box">
      <span className="field-box">
        <input
          value={typed}
          placeholder={label}
          aria-label={label}
          autoComplete="off"
          spellCheck={false}
          autoFocus={folded}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={keys}
        />
      </span>
      <button type="button" className="word-button" onClick={give} {...rest}>
        {verb}
      </button>
    </span>
  );
}

const VALUE = "input:not(:disabled), textarea, select";
const FOCUSABLE = `${VALUE}, button:not(:disabled)`;
let stood = null;
let left = "";

// Where the decision stood when it was chosen: the fields grow above it, and it must not run away.
const remember = (event) => {
  const at = event.target.closest?.(".action .decide");
  if (at) stood = { at, top: at.getBoundingClientRect().top };
};
if (typeof window !== "undefined") window.addEventListener("change", remember, true);

function keepPlace() {
  if (!stood?.at.isConnected) return;
  const moved = stood.at.getBoundingClientRect().top - stood.top;
  const pane = stood.at.closest(".review-scroll");
  if (pane && moved > 0) pane.scrollTop += moved;
  stood = null;
}

// `focus` is the JSON text [number, id, id before]: after a step the place where a person goes on.
function goTo(focus) {
  const [number, id, before] = JSON.parse(focus || "[0]");
  if (!number) return;
  const now = before && left.startsWith(before) ? id + left.slice(before.length) : id;
  const place = document.getElementById(now) ?? document.getElementById(id);
  left = "";
  if (!place) return;
  const target = place.matches(FOCUSABLE) ? place : place.querySelector(VALUE) ?? place.querySelector("button");
  target?.focus();
}

function moveItem(event) {
  const op = { ArrowUp: "up", ArrowDown: "down" }[event.key];
  if (!op || !event.altKey || event.ctrlKey || event.metaKey) return;
  for (let item = event.target.closest("[data-item]"); item; item = item.parentElement?.closest("[data-item]")) {
    const own = [...item.querySelectorAll(`button[data-op="${op}"]`)];
    const button = own.find((each) => each.closest("[data-item]") === item);
    if (!button) continue;
    event.preventDefault();
    left = event.target.id;
    document.activeElement?.blur();
    event.target.focus();
    button.click();
    return;
  }
}

export function EditForm({ focus, children, ...rest }) {
  const done = useRef(focus);
  useLayoutEffect(keepPlace, []);
  useEffect(() => {
    if (done.current !== focus) goTo(focus);
    done.current = focus;
  }, [focus]);
  return (
    <div {...rest} onKeyDown={moveItem}>
      {children}
    </div>
  );
}
