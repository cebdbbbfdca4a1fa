import { useSignal, useSignalEffect } from '@preact/signals'
import { useSession, useViewer } from '../data/session.ts'
import { isNamespaceName, noNamespaceText } from '../format/namespace-name.ts'
import { openScope } from '../route/scope-places.ts'
import { NamespaceField } from './namespace-field.tsx'

/** Which namespace the start page, the quotas and the history show. */
export function NamespaceChoice() {
  const { scope, said } = useSession()
  const { seesAll } = useViewer()
  const typed = useSignal(scope.value)
  useSignalEffect(() => void (typed.value = scope.value))
  const mistake = useSignal('')
  const choose = (namespace: string): void => {
    typed.value = namespace
    mistake.value = namespace === '' || isNamespaceName(namespace) ? '' : noNamespaceText(namespace)
    if (mistake.value !== '') return
    openScope(scope, namespace)
    said.value = namespace === '' ? 'All namespaces are shown' : `The namespace ${namespace} is shown`
  }
  return (
    <NamespaceField typed={typed} action="Show" placeholder="all" mistake={mistake.value} onChoose={choose}>
      {scope.value === '' || !seesAll ? null : (
        <button type="button" onClick={() => choose('')}>
          Show all
        </button>
      )}
    </NamespaceField>
  )
}
