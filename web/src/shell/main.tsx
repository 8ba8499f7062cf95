// The page of the lab: four rooms as tabs, and one connection to the server.
import "./shell.css";
import { signal } from "@preact/signals";
import { render } from "preact";
import { ExploreRoom, setSampleLoader } from "../rooms/explore";
import { MistakesRoom } from "../rooms/mistakes";
import { QuizRoom } from "../rooms/quiz";
import { TrainRoom } from "../rooms/train";
import { loadSample } from "../rooms/train/room";
import { openRoom, ROOMS, type RoomName, room } from "../shared/fragment";
import { connection } from "../shared/socket";
import { Mark } from "./Mark";

const TITLES: Record<RoomName, string> = { explore: "Explore", train: "Train", mistakes: "Mistakes", quiz: "Quiz" };
const VIEWS = { explore: ExploreRoom, train: TrainRoom, mistakes: MistakesRoom, quiz: QuizRoom };
const SCHEMES = ["auto", "light", "dark"] as const;
const SCHEME_KEY = "adjoint.lab.scheme";
const scheme = signal<string>(loadScheme());

function loadScheme(): string {
  try {
    return localStorage.getItem(SCHEME_KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

function setScheme(name: string): void {
  scheme.value = name;
  try {
    localStorage.setItem(SCHEME_KEY, name);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

function Tabs() {
  const onKey = (event: KeyboardEvent) => {
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const next = ROOMS[(ROOMS.indexOf(room.value) + direction + ROOMS.length) % ROOMS.length]!;
    openRoom(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Rooms" onKeyDown={onKey}>
      {ROOMS.map((name) => (
        <button
          key={name}
          type="button"
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
          <select value={scheme.value} onChange={(event) => setScheme(event.currentTarget.value)}>
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

setSampleLoader(loadSample);
const root = document.getElementById("lab")!;
root.replaceChildren();
render(<Page />, root);
