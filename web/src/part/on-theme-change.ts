/** Calls back when the colours of the page change: the switch of the page, or the system. */
export function onThemeChange(listener: () => void, over: AbortSignal): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener, { signal: over })
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  over.addEventListener('abort', () => observer.disconnect())
}
