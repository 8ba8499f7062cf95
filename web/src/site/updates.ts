// The service worker of the site: it makes the site work offline, and says when a new version is available.
import { signal } from "@preact/signals";

/** Whether a newer version has been loaded, which opens at the next visit. */
export const hasNewVersion = signal(false);

let waiting: ServiceWorker | null = null;

/** Register the service worker. A page that was not opened over https or on this machine works without it. */
export async function registerServiceWorker(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.register("service-worker.js");
  const watch = () => {
    waiting = registration.waiting;
    // Without a controller, this is the first version.
    hasNewVersion.value = waiting !== null && navigator.serviceWorker.controller !== null;
  };
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", watch));
  watch();
}

/** Switch to the new version now, and load the page again. */
export function loadNewVersion(): void {
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting?.postMessage("activate");
}
