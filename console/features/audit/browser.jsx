import { useEffect, useRef, useState } from "react";

const pad = (number) => String(number).padStart(2, "0");

// The reader's own zone, as the times of the table are drawn in it.
export function Zone() {
  const minutes = -new Date().getTimezoneOffset();
  const size = Math.abs(minutes);
  const rest = size % 60 ? ":" + pad(size % 60) : "";
  return <span>UTC{minutes ? (minutes < 0 ? "-" : "+") + Math.floor(size / 60) + rest : ""}</span>;
}

// "12 s ago" below a minute, a clock time after that, the day with it when it is not today's.
export function Since({ at }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return null;
  const moment = new Date(at);
  const seconds = Math.round((now - moment.getTime()) / 1000);
  const today = moment.toDateString() === new Date(now).toDateString();
  const look = { hour: "2-digit", minute: "2-digit", second: "2-digit", ...(today ? {} : { day: "2-digit", month: "short", year: "numeric" }) };
  const words = seconds >= 0 && seconds < 60 ? `${seconds} s ago` : `at ${new Intl.DateTimeFormat("en-GB", look).format(moment)}`;
  return (
    <time dateTime={at} title={at} className="num">
      {words}
    </time>
  );
}

const local = (at) => {
  if (!at) return "";
  const moment = new Date(at);
  const date = `${moment.getFullYear()}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`;
  return `${date}T${pad(moment.getHours())}:${pad(moment.getMinutes())}`;
};

// Typed in the reader's zone, sent as UTC.
export function MomentField({ name, label, at }) {
  const [text, setText] = useState(local(at));
  useEffect(() => setText(local(at)), [at]);
  const moment = text ? new Date(text) : null;
  const exact = moment && !Number.isNaN(moment.getTime()) ? moment.toISOString() : "";
  return (
    <label>
      <span className="lab">{label}</span>
      <span className="field-box">
        <input type="datetime-local" value={text} onChange={(event) => setText(event.target.value)} />
      </span>
      <input type="hidden" name={name} value={exact} />
    </label>
  );
}

const day = (moment) =>
  new Intl.DateTimeFormat("en-GB", { day: "2-digit", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }).format(moment);

export function Span({ since, until }) {
  const from = since ? day(new Date(since)) : "the beginning";
  return <span>{`${from} to ${until ? day(new Date(until)) : "now"}`}</span>;
}

// Where the browser gives no clipboard (plain http), the text is selected, and Ctrl+C copies it.
export function CopyField({ text, label, verb, ...rest }) {
  const field = useRef(null);
  const [said, setSaid] = useState("");
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Selected: copy it with Ctrl+C");
    }
  };
  return (
    <div className="copy">
      <textarea ref={field} readOnly rows={text.split("\n").length + 1} value={text} aria-label={label} spellCheck={false} {...rest} />
      <div className="between">
        <span role="status" className="small dim">
          {said}
        </span>
        <button type="button" className="menu-item" onClick={copy}>
          {verb}
        </button>
      </div>
    </div>
  );
}

const LIST = "[data-testid=audit-list]";

// New entries wait while the pointer or the focus is in the list, or while it is scrolled: no row is pushed
// away from under a hand. Otherwise they come in by themselves.
export function Follow({ waiting, words, onShow, ...rest }) {
  const show = useRef(onShow);
  show.current = onShow;
  useEffect(() => {
    const list = document.querySelector(LIST);
    if (!waiting || !list) return undefined;
    // The whole of it, the button included, which may have appeared under the pointer.
    const area = list.parentElement;
    const busy = () => area.matches(":hover") || area.contains(document.activeElement) || list.scrollTop > 0;
    const take = () => setTimeout(() => busy() || show.current?.(), 0);
    take();
    area.addEventListener("mouseleave", take);
    area.addEventListener("focusout", take);
    return () => {
      area.removeEventListener("mouseleave", take);
      area.removeEventListener("focusout", take);
    };
  }, [waiting]);
  if (!waiting) return null;
  return (
    <button type="button" className="fresh" onClick={() => show.current?.()} {...rest}>
      {words}
    </button>
  );
}

const links = () => [...document.querySelectorAll("[data-testid=audit-row] .row-link")];

function move(step) {
  const rows = links();
  const now = rows.indexOf(document.activeElement);
  const from = now >= 0 ? now : rows.findIndex((row) => row.getAttribute("aria-expanded") === "true");
  rows[Math.max(0, Math.min(rows.length - 1, from + step))]?.focus();
}

function close() {
  const open = links().find((row) => row.getAttribute("aria-expanded") === "true");
  open?.focus();
  open?.click();
}

// J and K move, Enter opens the link that has the focus, Escape closes what is open, / searches.
export function AuditKeys() {
  useEffect(() => {
    const onKey = (event) => {
      const there = document.activeElement;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(there?.tagName ?? "")) return;
      if (document.querySelector("[role=alertdialog], [role=dialog], [role=menu]")) return;
      const key = event.key.toLowerCase();
      if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
      else if (key === "escape") close();
      else if (key === "/") document.querySelector("[data-testid=audit-search]")?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return null;
}
