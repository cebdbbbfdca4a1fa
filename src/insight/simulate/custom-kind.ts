import type { CustomResource } from '../../api/definition/custom-resource.ts'
import { CustomRules } from '../../kinds/apiextensions/custom-rules.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { listOf, objectOf, valueAt } from '../../machinery/read.ts'
import { invalid } from '../../machinery/status.ts'
import { readStructural } from '../../schema/structural/read-schema.ts'
import { applyDefaults } from '../../schema/structural/defaults/apply.ts'
import { validate, validateUpdate } from '../../schema/structural/value/validate.ts'

/** The rules that the CRD of one of allot's kinds sets. */
export interface SchemaRules {
  readonly withDefaults: (object: KubeObject) => KubeObject
  /** Throws 422 as the API server does. */
  readonly check: (object: KubeObject, old: KubeObject | undefined) => void
}

export function schemaRules({ crd, group, kind }: CustomResource<KubeObject>): SchemaRules {
  const [version] = listOf(valueAt(objectOf(crd['spec']), 'versions'))
  const schema = readStructural(objectOf(valueAt(objectOf(version), 'schema', 'openAPIV3Schema')))
  const rules = new CustomRules()
  return {
    withDefaults: (object) => applyDefaults(schema, object) as KubeObject,
    check: (object, old) => {
      if (old !== undefined && jsonEqual(object['spec'], old['spec'])) return
      const options = { evaluate: rules.evaluator() }
      const errors =
        old === undefined ? validate(schema, object, options) : validateUpdate(schema, object, old, options)
      if (errors.length > 0) throw invalid({ group, kind }, object.metadata.name ?? '', errors)
    },
  }
}
