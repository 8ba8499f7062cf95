// The colors of the page: those of the system, light or dark.
import { signal } from "@preact/signals";

export const SCHEMES = ["auto", "light", "dark"] as const;
const KEY = "adjoint.lab.scheme";
export const scheme = signal<string>(loadScheme());

function loadScheme(): string {
  try {
    return localStorage.getItem(KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

export function setScheme(name: string): void {
  scheme.value = name;
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}
