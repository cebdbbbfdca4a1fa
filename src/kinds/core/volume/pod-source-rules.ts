import { forbidden, invalid, required } from '../../../machinery/field-error.ts'
import { validateAnnotations, validateLabels } from '../../../machinery/label-map.ts'
import { isDNS1123Subdomain } from '../../../machinery/names.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { validateClaimSpec } from './claim-validation.ts'
import { absent, objectOf, textOf } from '../../../machinery/read.ts'
import { labelsOf } from '../../rule/label-selector.ts'
import { needed, obeys, oneOf } from '../../rule/value.ts'
import { type SourceRule, validateDriverName } from './source-rules.ts'

export const emptyDir: SourceRule = (source, path) => {
  const limit = amountOf(source.sizeLimit)
  return limit !== undefined && limit.sign() < 0
    ? [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
    : []
}

export const podCsi: SourceRule = (source, path) => {
  const secret = source.nodePublishSecretRef
  const name = textOf(objectOf(secret).name)
  return [
    ...validateDriverName(source.driver, `${path}.driver`),
    ...(absent(secret)
      ? []
      : name === ''
        ? [required(`${path}.nodePublishSecretRef.name`)]
        : obeys(name, isDNS1123Subdomain, `${path}.name`)),
  ]
}

/** A claim that comes and goes with its pod (core `validateEphemeralVolumeSource`). */
export const ephemeral: SourceRule = (source, path, { pod, volume }) => {
  const at = `${path}.volumeClaimTemplate`
  if (absent(source.volumeClaimTemplate)) return [required(at)]
  const template = objectOf(source.volumeClaimTemplate)
  const { labels, annotations, ...others } = objectOf(template.metadata)
  const claim = `${pod}-${volume}`
  return [
    ...validateAnnotations(labelsOf(annotations), `${at}.metadata.annotations`),
    ...validateLabels(labelsOf(labels), `${at}.metadata.labels`),
    ...Object.keys(others)
      .filter((key) => !absent(others[key]))
      .map((key) => forbidden(`${at}.metadata.${key}`, 'cannot be set')),
    ...validateClaimSpec(objectOf(template.spec), `${at}.spec`),
    ...(pod === '' || volume === ''
      ? []
      : isDNS1123Subdomain(claim).map((text) =>
          invalid(`${path}.name`, volume, `PVC name ${JSON.stringify(claim)}: ${text}`),
        )),
  ]
}

export const image: SourceRule = (source, path, { pod }) => [
  ...(pod === '' ? [] : needed(source.reference, `${path}.reference`)),
  ...oneOf(source.pullPolicy, ['Always', 'IfNotPresent', 'Never'], `${path}.pullPolicy`),
]
