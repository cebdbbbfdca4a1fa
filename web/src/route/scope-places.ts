import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** What a place in the history of the browser keeps: the namespace that was chosen there. */
interface Place {
  readonly scope: string
}

/** Shows another namespace, so that a step back leads to the one before. */
export function openScope(scope: Signal<string>, namespace: string): void {
  if (scope.value === namespace) return
  keepHere(scope.value)
  history.pushState({ scope: namespace } satisfies Place, '')
  scope.value = namespace
}

/** Has a step back or forth in the browser bring back the namespace that was chosen there. */
export function useScopePlaces(scope: Signal<string>): void {
  useEffect(() => {
    const onStep = ({ state }: { readonly state: unknown }): void => {
      if (isPlace(state)) scope.value = state.scope
      // A view that has just been opened.
      else keepHere(scope.value)
    }
    addEventListener('popstate', onStep)
    return () => removeEventListener('popstate', onStep)
  }, [scope])
}

const keepHere = (scope: string): void => history.replaceState({ scope } satisfies Place, '')

const isPlace = (state: unknown): state is Place =>
  typeof state === 'object' && state !== null && 'scope' in state && typeof state.scope === 'string'
