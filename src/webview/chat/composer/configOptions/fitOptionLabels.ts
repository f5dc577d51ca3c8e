/** A label, whole or shortened, and the width of its picker in CSS pixels. */
export interface LabelForm {
  readonly text: string;
  readonly width: number;
  /** The text is wider than the picker, which cuts it with an ellipsis. */
  readonly isClipped?: true;
}

/** A picker: its label in all forms, the shortest first. */
export interface FittingOption {
  readonly forms: readonly LabelForm[];
  /** What is hidden last: the model, before it the mode, whose label is also shortened last. */
  readonly kind?: 'mode' | 'model';
}

/** Widths in CSS pixels. */
const MAX_LABEL_PX = 400;
const MIN_LABEL_PX = 80;
const GAP_PX = 2;
const MORE_BUTTON_PX = 24 + GAP_PX;

/**
 * The forms of a label, each a word longer than the one before.
 * @param padding of the picker with its icon, in CSS pixels
 * @param measure the width of a text in CSS pixels
 */
export function labelForms(name: string, padding: number, measure: (text: string) => number): LabelForm[] {
  const words = name.trim().split(/\s+/);
  const forms: LabelForm[] = [];
  for (let count = 1; count <= words.length; count++) {
    // The name of an option alone would not say its value.
    if (words[count - 1]?.endsWith(':') && count < words.length) continue;
    const text = count === words.length ? name : `${words.slice(0, count).join(' ')}…`;
    const width = Math.ceil(measure(text)) + padding;
    if (width > MAX_LABEL_PX) break;
    forms.push({ text, width });
  }
  const [first] = forms;
  if (!first) return [toClippedForm(name, MIN_LABEL_PX), toClippedForm(name, MAX_LABEL_PX)];
  return first.width > MIN_LABEL_PX && !words[0]?.endsWith(':') ? [toClippedForm(name, MIN_LABEL_PX), ...forms] : forms;
}

/**
 * Selects the longest labels that fit beside each other. Options that do not fit go behind a button, the last first.
 * @param room in CSS pixels
 * @returns undefined for an option behind the button
 */
export function fitOptionLabels(options: readonly FittingOption[], room: number): (LabelForm | undefined)[] {
  const hideOrder = [...options.keys()].toReversed();
  hideOrder.sort((a, b) => rankOf(options[a]) - rankOf(options[b]));
  for (let hidden = 0; hidden < hideOrder.length; hidden++) {
    const hiddenIndexes = new Set(hideOrder.slice(0, hidden));
    const fitting = shorten(
      options.map((option, index) => (hiddenIndexes.has(index) ? undefined : option)),
      hidden === 0 ? room : room - MORE_BUTTON_PX,
    );
    if (fitting) return fitting;
  }
  return options.map(() => undefined);
}

function rankOf(option: FittingOption | undefined): number {
  if (option?.kind === 'model') return 2;
  return option?.kind === 'mode' ? 1 : 0;
}

/** Shortens the longest label until all fit, that of a mode only beside nothing but the model; undefined when they do not fit. */
function shorten(options: readonly (FittingOption | undefined)[], room: number): (LabelForm | undefined)[] | undefined {
  const forms = options.map((option) => option?.forms.at(-1));
  const hasOthers = options.some((option) => option && option.kind === undefined);
  while (totalWidth(forms) > room) {
    const next = options
      .map((option, index) => ({
        index,
        form: forms[index],
        shorter: option && shorterForm(option, forms[index]),
        option,
      }))
      .filter(({ shorter, option }) => shorter && !(hasOthers && option?.kind === 'mode'))
      .toSorted(
        (a, b) =>
          Number(a.option?.kind === 'mode') - Number(b.option?.kind === 'mode') ||
          (b.form?.width ?? 0) - (a.form?.width ?? 0),
      )[0];
    if (!next) return undefined;
    forms[next.index] = next.shorter;
  }
  return forms;
}

function shorterForm({ forms }: FittingOption, form: LabelForm | undefined): LabelForm | undefined {
  return form && forms[forms.indexOf(form) - 1];
}

function totalWidth(forms: readonly (LabelForm | undefined)[]): number {
  return forms.reduce((sum, form) => (form ? sum + form.width + GAP_PX : sum), 0);
}

function toClippedForm(text: string, width: number): LabelForm {
  return { text, width, isClipped: true };
}
