/** Finds the call of a strategy that takes too long, from another thread: an endless loop leaves no other way. */
const CHECK_EVERY_MS = 250;

/** Watches the calls of another thread; `onHang` hears the strategy in one that takes too long, once. Returns how to stop. */
export function watchCalls(
  running: Int32Array,
  limitMs: number,
  onHang: (index: number) => void,
): () => void {
  let seen = '';
  let sinceMs = performance.now();
  const watch = setInterval(() => {
    const [strategy = -1, calls = 0] = running;
    const now = performance.now();
    const isNews = seen !== `${strategy} ${calls}`;
    if (isNews) seen = `${strategy} ${calls}`;
    if (isNews || strategy === -1) sinceMs = now;
    if (now - sinceMs <= limitMs) return;
    clearInterval(watch);
    onHang(strategy);
  }, CHECK_EVERY_MS);
  return () => clearInterval(watch);
}
