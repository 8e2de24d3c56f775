// Decides how the bounds of a saved plan are said: numbers, texts and lists, each from least to most.
import * as v from "valibot";

export const within = (least: number, most: number) =>
  v.pipe(
    v.number("a number belongs"),
    v.safeInteger("a whole number belongs"),
    v.minValue(least, `${least} is the least`),
    v.maxValue(most, `${most} is the most`),
  );

export const text = (most: number) =>
  v.pipe(v.string("a string belongs"), v.maxLength(most, `${most} units are the most`));

export const list = <Item extends v.GenericSchema>(item: Item, least: number, most: number) =>
  v.pipe(
    v.array(item, "a list belongs"),
    v.minLength(least, `${least} entries are the least`),
    v.maxLength(most, `${most} entries are the most`),
  );
