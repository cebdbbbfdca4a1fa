import type { Job } from '../../builtin/batch-v1.ts'
import { GENERATED_LABELS } from '../../kinds/batch/job.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isEmptyMap, objectOf, specOf } from '../../machinery/read.ts'

/** Returns a Job without generated labels and selector. They name its uid, which a manifest does not have. */
export function jobManifest(job: Job): KubeObject {
  const { manualSelector, selector, template, ...spec } = specOf(job)
  if (manualSelector === true) return job
  const { metadata, ...pod } = objectOf(template)
  const labels = withoutGenerated(objectOf(metadata).labels)
  const own = { ...objectOf(selector), matchLabels: withoutGenerated(objectOf(selector).matchLabels) }
  const hasOwn = Object.values(own).some((one) => !isEmptyMap(one))
  return {
    ...job,
    metadata: { ...job.metadata, labels: withoutGenerated(job.metadata.labels) },
    spec: {
      ...spec,
      ...(manualSelector === undefined ? {} : { manualSelector }),
      ...(hasOwn ? { selector: own } : {}),
      template: { ...pod, metadata: { ...objectOf(metadata), labels } },
    },
  }
}

const withoutGenerated = (labels: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectOf(labels) as Readonly<Record<string, string>>).filter(
      ([key]) => !GENERATED_LABELS.includes(key),
    ),
  )
