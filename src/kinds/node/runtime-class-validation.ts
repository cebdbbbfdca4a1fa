import { append, duplicate, type FieldError } from '../../machinery/field-error.ts'
import { canonicalJson } from '../../machinery/json-value.ts'
import { validateLabels } from '../../machinery/label-map.ts'
import { isDNS1123Label } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { validateTolerations } from '../core/pod/validation.ts'
import { absent, objectOf, objectsOf, textOf } from '../../machinery/read.ts'
import { repetitions } from '../rule/repetition.ts'
import { validateContainerResources } from '../core/container/resource-requirements.ts'
import { labelsOf } from '../rule/label-selector.ts'
import { obeys } from '../rule/value.ts'

/** The errors in a RuntimeClass (node `ValidateRuntimeClass`). */
export function validateRuntimeClass(object: KubeObject): readonly FieldError[] {
  const errors: FieldError[] = [...obeys(textOf(object.handler), isDNS1123Label, 'handler')]
  const fixed = objectOf(object.overhead).podFixed
  if (!absent(fixed)) append(errors, validateContainerResources({ limits: fixed }, new Set(), 'overhead'))
  if (absent(object.scheduling)) return errors
  const { nodeSelector, tolerations } = objectOf(object.scheduling)
  append(errors, validateLabels(labelsOf(nodeSelector), 'scheduling.nodeSelector'))
  // Upstream names the field twice.
  append(errors, validateTolerations(tolerations, 'scheduling.tolerations.tolerations'))
  const list = objectsOf(tolerations)
  for (const index of repetitions(list, (toleration) => canonicalJson(held(toleration))))
    errors.push(duplicate(`scheduling.tolerations[${index}]`, held(list[index] ?? {})))
  return errors
}

/** A toleration as the server holds it, whose fields have no names in JSON. */
const held = (toleration: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  Key: textOf(toleration.key),
  Operator: textOf(toleration.operator),
  Value: textOf(toleration.value),
  Effect: textOf(toleration.effect),
  TolerationSeconds: toleration.tolerationSeconds ?? null,
})
