import { append, type FieldError, forbidden, invalid, required } from '../../machinery/field-error.ts'
import { isDNS1035Label } from '../../machinery/names.ts'
import { absent, objectOf, textsOf } from '../../machinery/read.ts'
import { repetitions } from '../rule/repetition.ts'
import { oneOf } from '../rule/value.ts'
import { validateWebhookClient } from '../admissionregistration/webhook-client-validation.ts'

const STRATEGIES = ['None', 'Webhook']
const REVIEW_VERSIONS = ['v1', 'v1beta1']
const ONLY_WEBHOOKS = 'should not be set when strategy is not set to Webhook'

/** `spec.conversion` of a CRD. Its webhook is complained of by the paths of upstream's internal form. */
export function validateConversion(value: unknown, path: string): readonly FieldError[] {
  if (absent(value)) return []
  const conversion = objectOf(value)
  const { clientConfig, conversionReviewVersions } = objectOf(conversion.webhook)
  const versions = textsOf(conversionReviewVersions)
  const [clientPath, versionsPath] = [`${path}.webhookClientConfig`, `${path}.conversionReviewVersions`]
  const errors: FieldError[] = [...oneOf(conversion.strategy, STRATEGIES, `${path}.strategy`)]
  if (conversion.strategy === 'Webhook') {
    append(
      errors,
      absent(clientConfig)
        ? [required(clientPath, 'required when strategy is set to Webhook')]
        : validateWebhookClient(objectOf(clientConfig), clientPath),
    )
    append(errors, validateReviewVersions(versions, versionsPath))
  } else {
    if (!absent(clientConfig)) errors.push(forbidden(clientPath, ONLY_WEBHOOKS))
    if (versions.length > 0) errors.push(forbidden(versionsPath, ONLY_WEBHOOKS))
  }
  return errors
}

function validateReviewVersions(versions: readonly string[], path: string): readonly FieldError[] {
  if (versions.length === 0) return [required(path)]
  const again = new Set(repetitions(versions))
  const errors = versions.flatMap((version, index) =>
    again.has(index)
      ? [invalid(`${path}[${index}]`, version, 'duplicate version')]
      : isDNS1035Label(version).map((text) => invalid(`${path}[${index}]`, version, text)),
  )
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version)))
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`))
  return errors
}
