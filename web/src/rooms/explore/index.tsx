// The room Explore: the component that notebooks also load, with a model that talks to the server over the socket.
import { signal } from "@preact/signals";
import explore, { compact } from "adjoint-explore";
import { useEffect, useRef } from "preact/hooks";
import { onState, openRoom } from "../../shared/fragment";
import { type Sample, type SampleLoader, SocketModel } from "./model";

export type { Sample } from "./model";

/** The title of the sample that is shown; "" while an expression is shown. */
const sampleTitle = signal("");

let model: SocketModel | undefined;
let loadSample: SampleLoader = () => Promise.reject(new Error("no room can restore this sample"));

/** Set what restores the sample of an address. The shell does this, because Explore does not import other rooms. */
export function setSampleLoader(loader: SampleLoader): void {
  loadSample = loader;
}

function getModel(): SocketModel {
  model ??= new SocketModel((params) => loadSample(params));
  return model;
}

/** Open Explore with the graph of a sample. */
export function showSample(sample: Sample): void {
  getModel().show(sample);
  sampleTitle.value = sample.title;
  openRoom("explore");
}

function restore(params: URLSearchParams): void {
  if (!params.has("sample")) sampleTitle.value = "";
  getModel().restore(params);
}

/** The room; `isCompact` leaves just the graph and its sliders. */
export function ExploreRoom({ isCompact = false }: { isCompact?: boolean }) {
  const container = useRef<HTMLDivElement>(null);
  const title = sampleTitle.value;
  useEffect(() => {
    const leave = onState("explore", restore);
    const remove = (isCompact ? compact : explore.render)({ model: getModel(), el: container.current! });
    return () => {
      leave();
      remove();
    };
  }, [title]);
  return (
    <>
      {title && !isCompact && (
        <p class="row from-train">
          <button type="button" onClick={() => openRoom("train")}>
            ← Back to Train
          </button>
          <button type="button" class="quiet" onClick={() => restore(new URLSearchParams())}>
            Explore an expression
          </button>
        </p>
      )}
      <div ref={container} />
    </>
  );
}
