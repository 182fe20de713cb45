import { useEffect, useRef, useState } from "react";

// Draws the text a run is writing. `chunk` is the JSON text "[offset, text]": only what is new travels.
// A gap (React may merge two updates) asks for everything.
export function Tail({ chunk, onGap, who, ...rest }) {
  const [text, setText] = useState("");
  const known = useRef("");
  const gap = useRef(onGap);
  gap.current = onGap;
  useEffect(() => {
    const [at, more] = JSON.parse(chunk || '[0,""]');
    if (at > known.current.length) {
      gap.current?.();
      return;
    }
    known.current = known.current.slice(0, at) + more;
    setText(known.current);
  }, [chunk]);
  if (!text) return null;
  return (
    <div className="msg msg-ai" aria-live="off">
      <span className="msg-head">{who}</span>
      <div className="bubble agent" {...rest}>
        {text}
        <span className="caret" aria-hidden="true" />
      </div>
    </div>
  );
}

const LOOKS = {
  time: { hour: "2-digit", minute: "2-digit" },
  seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit" },
  stamp: { day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 },
};

// A moment in the reader's own time zone; the exact UTC time is in the tooltip.
export function When({ at, look, ...rest }) {
  if (!at) return null;
  const moment = new Date(at);
  const text = new Intl.DateTimeFormat("en-GB", LOOKS[look] || LOOKS.time).format(moment);
  return (
    <time dateTime={at} title={at} className="num" {...rest}>
      {text}
    </time>
  );
}

export function PageTitle({ text }) {
  useEffect(() => {
    document.title = text;
  });
  return null;
}

const typing = (node) => /^(INPUT|TEXTAREA|SELECT)$/.test(node?.tagName ?? "") && node.type !== "radio";
const all = (selector) => [...document.querySelectorAll(selector)];
const LETTERS = { a: "approve", e: "edit", x: "reject", r: "respond" };

function moveInQueue(step) {
  const rows = all("[data-testid=queue-row]");
  const now = rows.indexOf(document.activeElement);
  const from = now >= 0 ? now : rows.findIndex((row) => row.hasAttribute("aria-current"));
  rows[Math.max(0, Math.min(rows.length - 1, from + step))]?.focus();
}

function chooseIn(word) {
  const cards = all("[data-testid=action-card]");
  const card = document.activeElement?.closest?.("[data-testid=action-card]") ?? (cards.length === 1 ? cards[0] : null);
  card?.querySelector(`[data-testid=decision-${word}]`)?.click();
}

// Keys only move and choose. Choosing is not deciding, and plain Enter never submits a verdict.
export function DeskKeys() {
  useEffect(() => {
    const onKey = (event) => {
      // A dialog asks one thing; nothing behind it may be chosen or submitted.
      if (document.querySelector("[role=alertdialog]")) return;
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        if (!document.activeElement?.closest?.(".pane-chat")) {
          const submit = document.querySelector("[data-testid=submit-verdict]");
          if (submit) {
            event.preventDefault();
            if (submit.disabled) document.querySelector("[aria-invalid=true]")?.focus();
            else submit.click();
          }
        }
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || typing(document.activeElement)) return;
      const key = event.key.toLowerCase();
      if (key === "j" || key === "k") moveInQueue(key === "j" ? 1 : -1);
      else if (LETTERS[key]) chooseIn(LETTERS[key]);
      else if (key >= "1" && key <= "9") all("[data-testid=action-card]")[Number(key) - 1]?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return null;
}
