import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Route, routeOf } from './route.ts'

/** The view that the address names now. */
export function useRoute(): Route {
  const hash = useSignal(location.hash)
  useEffect(() => {
    const onChange = (): void => void (hash.value = location.hash)
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return routeOf(hash.value)
}
