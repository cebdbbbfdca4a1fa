import type { DeploymentSpec, ReplicaSetSpec } from '../../../builtin/apps-v1.ts'
import type { PodSpec, PodTemplateSpec } from '../../../builtin/core-v1.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { validateAnnotations, validateLabels } from '../../../machinery/label-map.ts'
import { validateLabelSelector } from '../../../machinery/selector/label.ts'
import { semanticallyEqual } from '../../rule/equality.ts'
import { validatePodAnnotations } from './annotation-validation.ts'
import { validatePodSpec } from './validation.ts'
import { absent, listOf, objectOf, textOf } from '../../../machinery/read.ts'
import { isEmptySelector, labelSelectorOf, labelsOf, queryOf, templateMatches } from '../../rule/label-selector.ts'

/** A pod template by itself: labels and spec (core `ValidatePodTemplateSpec`). */
export function validateTemplate(template: PodTemplateSpec, path: string): readonly FieldError[] {
  const spec = objectOf(template.spec)
  const { labels, annotations } = objectOf(template.metadata)
  const errors = [
    ...validateLabels(labelsOf(labels), `${path}.labels`),
    ...validateAnnotations(labelsOf(annotations), `${path}.annotations`),
    ...validatePodAnnotations(annotations, spec, `${path}.annotations`),
    ...validatePodSpec(spec, `${path}.spec`),
  ]
  if (listOf(spec.ephemeralContainers).length > 0) {
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'))
  }
  return errors
}

/** A selector that must be there and must ask for something; `kind` is the word that upstream's message uses. */
export function validateSelector(selector: unknown, kind: string, path: string): readonly FieldError[] {
  if (absent(selector)) return [required(path)]
  const errors = validateLabelSelector(labelSelectorOf(selector), path)
  if (isEmptySelector(selector)) errors.push(invalid(path, selector, `empty selector is invalid for ${kind}`))
  return errors
}

/** How a template is checked for each kind: under which name, and what is said of a selector that cannot be read. */
export interface TemplateRules {
  readonly kind: string
  readonly unreadable: string
}

/** A selector and the template whose pods it finds; a template is looked at only if the selector can be read. */
export function validateSelected(
  spec: DeploymentSpec | ReplicaSetSpec,
  { kind, unreadable }: TemplateRules,
): readonly FieldError[] {
  const { selector } = spec
  if (!absent(selector) && queryOf(selector) === undefined) return [invalid('spec.selector', selector, unreadable)]
  return validateRunningTemplate(spec, kind, 'spec.template')
}

/** A template whose pods run for good: labels fit the selector, and pods are restarted always. */
export function validateRunningTemplate(
  spec: DeploymentSpec | ReplicaSetSpec,
  kind: string,
  path: string,
): readonly FieldError[] {
  const template = objectOf(spec.template)
  return [
    ...templateMatches(spec.selector, objectOf(template.metadata).labels, path),
    ...validateTemplate(template, path),
    ...validateRunning(objectOf(template.spec), kind, path),
  ]
}

/** A pod that a controller keeps running is always restarted and has no deadline. */
export function validateRunning(pod: PodSpec, kind: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const policy = textOf(pod.restartPolicy)
  if (policy !== 'Always') errors.push(notSupported(`${path}.spec.restartPolicy`, policy, ['Always']))
  if (!absent(pod.activeDeadlineSeconds)) {
    errors.push(forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`))
  }
  return errors
}

/** A field that stays what it was. */
export function immutable(value: unknown, old: unknown, path: string): readonly FieldError[] {
  return semanticallyEqual(value, old) ? [] : [invalid(path, value ?? null, 'field is immutable')]
}
