// The page of the lab: four rooms behind tabs, one connection to the engine.
import "./shell.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { MistakesRoom } from "../rooms/mistakes";
import { QuizRoom } from "../rooms/quiz";
import { ExploreRoom } from "../rooms/explore";
import { openRoom, ROOMS, type RoomName, room } from "../shared/fragment";
import { Mark } from "./Mark";
import { connection } from "../shared/socket";
import { TrainRoom } from "../rooms/train";

const TITLES: Record<RoomName, string> = { explore: "Explore", train: "Train", mistakes: "Mistakes", quiz: "Quiz" };
const VIEWS = { explore: ExploreRoom, train: TrainRoom, mistakes: MistakesRoom, quiz: QuizRoom };
const SCHEMES = ["auto", "light", "dark"] as const;
const SCHEME_KEY = "adjoint.lab.scheme";
const scheme = signal<string>(kept());

function kept(): string {
  try {
    return localStorage.getItem(SCHEME_KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

function choose(name: string): void {
  scheme.value = name;
  try {
    localStorage.setItem(SCHEME_KEY, name);
  } catch {
    // it lasts until the page is closed
  }
}

function Tabs() {
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = ROOMS[(ROOMS.indexOf(room.value) + by + ROOMS.length) % ROOMS.length]!;
    openRoom(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Rooms" onKeyDown={move}>
      {ROOMS.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          role="tab"
          aria-selected={room.value === name}
          aria-controls="room"
          tabIndex={room.value === name ? 0 : -1}
          onClick={() => openRoom(name)}
        >
          {TITLES[name]}
        </button>
      ))}
    </div>
  );
}

function Page() {
  const View = VIEWS[room.value];
  return (
    <div class="adjoint" data-scheme={scheme.value}>
      <header class="bar">
        <div class="brand">
          <Mark />
          <h1 style={{ fontSize: "inherit" }}>adjoint lab</h1>
        </div>
        <Tabs />
        <label class="row small soft">
          <span class="unseen">Colors</span>
          <select value={scheme.value} onChange={(event) => choose(event.currentTarget.value)}>
            {SCHEMES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </header>
      {connection.value !== "open" && connection.value !== "connecting" && (
        <div class="notice" role="alert">
          <p class="callout">{connection.value}</p>
        </div>
      )}
      <main class="rooms">
        <div id="room" role="tabpanel" aria-labelledby={`tab-${room.value}`}>
          <View />
        </div>
      </main>
    </div>
  );
}

const at = document.getElementById("lab")!;
at.replaceChildren();
render(<Page />, at);
