/** The colours of a page, read from its style sheet: `--name: #rrggbb`. */
export function ink(name: string, opacity = 1): string {
  const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  if (opacity === 1) return colour;
  return `${colour}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, '0')}`;
}

const listeners = new Set<() => void>();

/** Calls back when the colours change: by the system, or by `data-theme` of the page. Returns the way to stop. */
export function onThemeChange(redraw: () => void): () => void {
  listeners.add(redraw);
  return () => listeners.delete(redraw);
}

function publish(): void {
  for (const redraw of listeners) redraw();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', publish);
new MutationObserver(publish).observe(document.documentElement, { attributeFilter: ['data-theme'] });
