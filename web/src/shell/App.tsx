// The page of the lab: its rooms as tabs, and one connection to the engine. The static site adds a start page and links.
import "./shell.css";
import { signal } from "@preact/signals";
import { type ComponentChild, type FunctionComponent, render } from "preact";
import { useEffect } from "preact/hooks";
import { ExploreRoom, setSampleLoader } from "../rooms/explore";
import { MistakesRoom } from "../rooms/mistakes";
import { QuizRoom } from "../rooms/quiz";
import { TrainRoom } from "../rooms/train";
import { loadSample } from "../rooms/train/room";
import { connection } from "../shared/connection";
import { isEmbedded, lessonBehind, openRoom, type Place, places, room } from "../shared/fragment";
import { SCHEMES, scheme, setScheme } from "../shared/scheme";
import { Mark } from "./Mark";

const TITLES: Record<Place, string> = {
  start: "Start",
  explore: "Explore",
  train: "Train",
  mistakes: "Mistakes",
  quiz: "Quiz",
  learn: "Learn",
};
const VIEWS = { explore: ExploreRoom, train: TrainRoom, mistakes: MistakesRoom, quiz: QuizRoom, learn: LearnLoader };

/** The room Learn, which is loaded when it is first opened: its editor is larger than all other rooms. */
const learnRoom = signal<FunctionComponent | null>(null);
const loadProblem = signal("");

function LearnLoader() {
  useEffect(() => {
    import("../rooms/learn").then(
      ({ LearnRoom }) => {
        learnRoom.value = LearnRoom;
      },
      () => {
        loadProblem.value = "The room could not be loaded. Is the lab still running? Reload the page to try again.";
      },
    );
  }, []);
  const View = learnRoom.value;
  if (View) return <View />;
  return loadProblem.value ? (
    <p class="callout" role="alert">
      {loadProblem.value}
    </p>
  ) : (
    <p class="soft" aria-busy="true">
      …
    </p>
  );
}

/** What the static site adds to the lab. */
export interface Surroundings {
  /** The name next to the logo. */
  title: string;
  Start: FunctionComponent;
  /** Links after the tabs. */
  links: ComponentChild;
  /** What is shown above each room, such as the progress of the engine. */
  Notice: FunctionComponent;
}

function Tabs() {
  const onKey = (event: KeyboardEvent) => {
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const next = places[(places.indexOf(room.value) + direction + places.length) % places.length]!;
    openRoom(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Rooms" onKeyDown={onKey}>
      {places.map((name) => (
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

function Page({ site }: { site?: Surroundings | undefined }) {
  const View = room.value === "start" ? site!.Start : VIEWS[room.value];
  return (
    <div class="adjoint" data-scheme={scheme.value}>
      <header class="bar">
        <div class="brand">
          <Mark />
          <h1 style={{ fontSize: "inherit" }}>{site?.title ?? "adjoint lab"}</h1>
        </div>
        <Tabs />
        {site?.links}
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
      {site && <site.Notice />}
      <main class="rooms">
        <div id="room" role="tabpanel" aria-labelledby={`tab-${room.value}`}>
          {lessonBehind.value && room.value !== "learn" && (
            <p class="back">
              <a href={`#learn?lesson=${lessonBehind.value}`}>← Back to lesson {lessonBehind.value}</a>
            </p>
          )}
          <View />
        </div>
      </main>
    </div>
  );
}

/** The address of the lab with the graph of this frame. */
const wholeAddress = () => location.href.replace(/[?&]embed\b/, "");

/** A graph with its sliders, for a frame in another page. */
function EmbeddedPage() {
  return (
    <main class="adjoint embedded" data-scheme={scheme.value}>
      <ExploreRoom isCompact />
      <a
        class="whole small soft"
        href={wholeAddress()}
        target="_blank"
        rel="noopener"
        onClick={(event) => {
          event.currentTarget.href = wholeAddress(); // the sliders have changed the address
        }}
      >
        Open in the lab
      </a>
    </main>
  );
}

/** Show the lab. */
export function openLab(site?: Surroundings): void {
  setSampleLoader(loadSample);
  const root = document.getElementById("lab")!;
  root.replaceChildren();
  const App = () => (isEmbedded.value ? <EmbeddedPage /> : <Page site={site} />);
  render(<App />, root);
}
