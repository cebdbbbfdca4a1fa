/**
 * Whatever an update takes out of the page, something in it has the focus: what is left of the place where it was, else the page. A keyboard then
 * goes on from there, and not from the top of the document.
 */
export function keepFocus(root: HTMLElement): void {
  let places: readonly Element[] = []
  root.addEventListener('focusin', ({ target }) => {
    places = target instanceof Element ? placesAround(target, root) : []
  })
  const mend = (): void => {
    const { activeElement, body } = document
    if (activeElement !== null && activeElement !== body && activeElement.isConnected) return
    const place = places.find((one) => one.isConnected && isFocusable(one)) ?? root
    if (place instanceof HTMLElement || place instanceof SVGElement) place.focus({ preventScroll: true })
  }
  new MutationObserver(mend).observe(root, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden'],
  })
  mend()
}

function placesAround(target: Element, root: Element): readonly Element[] {
  const found: Element[] = []
  for (let at: Element | null = target; at !== null && at !== root; at = at.parentElement) found.push(at)
  return [...found, root]
}

const isFocusable = (element: Element): boolean =>
  (element.hasAttribute('tabindex') || element.matches('a[href], button, input, select, summary')) &&
  !element.matches(':disabled')
