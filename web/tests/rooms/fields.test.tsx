import { fireEvent, render, screen } from "@testing-library/preact";
import { expect, test, vi } from "vitest";
import { Rate, Whole } from "../../src/rooms/train/fields";

test.each(["", "1.5", "-3", "501", "3", "four"])("“%s” is not a whole number from 4 to 500", (text) => {
  const onChange = vi.fn();
  const { getByLabelText, unmount } = render(
    <Whole label="Samples" value={10} min={4} max={500} onChange={onChange} />,
  );
  const field = getByLabelText("Samples") as HTMLInputElement;
  field.type = "text"; // a number field would not take every text
  fireEvent.input(field, { target: { value: text } });
  expect(onChange).not.toHaveBeenCalled();
  unmount();
});

test("a whole number within the limits is taken", () => {
  const onChange = vi.fn();
  render(<Whole label="Samples" value={10} min={4} max={500} onChange={onChange} />);
  fireEvent.input(screen.getByLabelText("Samples"), { target: { value: "500" } });
  expect(onChange).toHaveBeenCalledWith(500);
});

test("the buttons of a rate go to the next usual value, also from between two", () => {
  const onChange = vi.fn();
  render(<Rate label="Learning rate" value={0.05} usual={[0.01, 0.03, 0.1, 0.3]} min={1e-9} onChange={onChange} />);
  fireEvent.click(screen.getByLabelText("Increase learning rate"));
  fireEvent.click(screen.getByLabelText("Decrease learning rate"));
  expect(onChange.mock.calls).toEqual([[0.1], [0.03]]);
});

test("a rate of 0 is refused", () => {
  const onChange = vi.fn();
  const { container } = render(<Rate label="Rate" value={0.1} usual={[0.1]} min={1e-9} onChange={onChange} />);
  fireEvent.input(container.querySelector("input")!, { target: { value: "0" } });
  expect(onChange).not.toHaveBeenCalled();
  expect(container.querySelector("input")!.getAttribute("aria-invalid")).toBe("true");
});
