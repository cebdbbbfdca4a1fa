import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Does somebody see the page? A tab in the background is not seen. */
export function useVisible(): boolean {
  const isVisible = useSignal(!document.hidden)
  useEffect(() => {
    const onChange = (): void => void (isVisible.value = !document.hidden)
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [])
  return isVisible.value
}
