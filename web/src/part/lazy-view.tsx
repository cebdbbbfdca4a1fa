import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'

/** A view whose code is loaded when the view is first shown: the first paint does not wait for it. */
export function lazyView<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<ComponentType<P> | 'failed' | undefined>(undefined)
  const start = (): void => {
    if (typeof loaded.value === 'function') return
    loaded.value = undefined
    load().then(
      (view) => (loaded.value = view),
      () => (loaded.value = 'failed'),
    )
  }
  return function LazyView(props) {
    useEffect(start, [])
    const View = loaded.value
    if (View === undefined) return <p class="quiet">Loading …</p>
    if (View !== 'failed') return <View {...props} />
    return (
      <>
        <p class="problem" role="alert">
          This view could not be loaded. If that stays so, allot may be of another version now: reload the page.
        </p>
        <button type="button" onClick={start}>
          Load again
        </button>
      </>
    )
  }
}
