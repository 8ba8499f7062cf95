import { signal } from "@preact/signals";
import { render } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { Norms } from "../../src/shared/plane/Norms";
import { fromUnitSquare, HeatMap, Points, toUnitSquare } from "../../src/shared/plane/Plane";

const bounds = { low: [-2, 0] as [number, number], high: [2, 1] as [number, number] };

test("the upper left corner of the plane is the smallest x1 and the largest x2", () => {
  expect(toUnitSquare(bounds, -2, 1)).toEqual([0, 0]);
  expect(toUnitSquare(bounds, 2, 0)).toEqual([1, 1]);
});

test("fromUnitSquare is the inverse of toUnitSquare", () => {
  const [x1, x2] = fromUnitSquare(bounds, ...toUnitSquare(bounds, 0.7, 0.2));
  expect(x1).toBeCloseTo(0.7);
  expect(x2).toBeCloseTo(0.2);
});

test("classes differ by shape, and test samples and the selected one are marked", () => {
  const samples: [number, number, number, boolean][] = [
    [0, 0, 0, false],
    [1, 1, 1, true],
  ];
  const { container } = render(<Points bounds={bounds} samples={samples} selected={0} />);
  const [first, second] = container.querySelectorAll("path");
  expect(first!.getAttribute("d")).not.toBe(second!.getAttribute("d"));
  expect(first!.getAttribute("class")).toBe("class-0 chosen");
  expect(second!.getAttribute("class")).toBe("class-1 test");
});

test("bars of gradient norms grow with the power of ten", () => {
  const { container } = render(<Norms of={[0, 1e-8, 1e-3, 100, "Infinity", "NaN"]} />);
  const widths = [...container.querySelectorAll<HTMLElement>(".track > span")].map((bar) =>
    parseFloat(bar.style.width),
  );
  // From 10⁻⁸ to 10² is the whole bar; a norm that is not 0 is always visible.
  expect(widths).toEqual([0, 1, 50, 100, 100, 0]);
  const rows = [...container.querySelectorAll("li")].map((row) => row.firstElementChild!.textContent);
  expect(rows.slice(-2)).toEqual(["layer 5", "output"]);
});

test("a page in the background computes no maps, and the newest when it is visible again", async () => {
  // Effects of components run after the next frame.
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const step = signal(1);
  const computed: number[] = [];
  const map = () => {
    computed.push(step.value);
    return null;
  };
  render(<HeatMap label="map" map={map} />);
  expect(computed).toEqual([1]);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  await nextFrame();
  step.value = 2;
  await nextFrame();
  step.value = 3;
  await nextFrame();
  expect(computed).toEqual([1]);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event("visibilitychange"));
  await nextFrame();
  expect(computed).toEqual([1, 3]);
});
