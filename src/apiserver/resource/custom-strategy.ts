import { successor, jsonEqual } from '../../machinery/json-value.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import type { StructuralSchema } from '../../schema/structural/value/structural-schema.ts'
import { validate, type ValidateOptions, validateUpdate } from '../../schema/structural/value/validate.ts'
import { type ServedResource } from './served-resource.ts'
import { setOrDrop, without } from '../../kinds/rule/change.ts'
import { CustomRules } from '../../kinds/apiextensions/custom-rules.ts'
import { customScale, validateScale } from './custom-scale.ts'
import { defaulted } from './custom-versions.ts'
import { finalizerWarnings } from '../../kinds/rule/finalizer-warnings.ts'
import { withGeneration, withManagersOf } from '../../kinds/strategy/lifecycle.ts'
import type { Strategy } from '../../kinds/strategy/strategy.ts'

/**
 * How objects of a CustomResourceDefinition behave: by its schema they are defaulted and validated (where they did not change
 * they may stay as they are), and generation counts changes beside metadata and status.
 */
export function customStrategy(served: ServedResource, schema?: StructuralSchema): Strategy {
  const hasStatus = served.subresources.some(({ name }) => name === 'status')
  return {
    allowUnconditionalUpdate: false,
    warnings: finalizerWarnings,
    ...(schema === undefined ? {} : schemaRules(served, schema)),
    ...(served.scalePaths === undefined ? {} : { scale: customScale(served.scalePaths) }),
    prepareForCreate: (object) => withGeneration(hasStatus ? without(object, 'status') : object, 1),
    prepareForUpdate: (object, old) => {
      const next = hasStatus ? withStatusOf(object, old) : object
      const changed = !jsonEqual(content(next, hasStatus), content(old, hasStatus))
      return withGeneration(next, changed ? successor(old.metadata.generation) : (old.metadata.generation ?? 0))
    },
    prepareForStatusUpdate: (object, old) => withStatusOf(withManagersOf(old, object), object),
  }
}

function schemaRules({ kind, scalePaths, ...served }: ServedResource, schema: StructuralSchema): Strategy {
  const rules = new CustomRules()
  const apiVersion = apiVersionOf(served)
  /** The errors of an object that is not of this kind; no other errors are reported then. */
  const strange = (object: KubeObject): readonly FieldError[] => [
    ...(object.kind === kind ? [] : [invalid('kind', object.kind, `must be ${kind}`)]),
    ...(object.apiVersion === apiVersion ? [] : [invalid('apiVersion', object.apiVersion, `must be ${apiVersion}`)]),
  ]
  const options = (object: KubeObject): ValidateOptions => ({
    evaluate: rules.evaluator(),
    ...(scalePaths === undefined ? {} : { besides: validateScale(scalePaths, object) }),
  })
  const update = (object: KubeObject, old: KubeObject): readonly FieldError[] => {
    const errors = strange(object)
    return errors.length > 0 ? errors : validateUpdate(schema, object, old, options(object))
  }
  return {
    defaults: (object, { keepsNulls } = {}) =>
      strange(object).length > 0 ? object : defaulted(schema, object, keepsNulls),
    validate: (object) => {
      const errors = strange(object)
      return errors.length > 0 ? errors : validate(schema, object, options(object))
    },
    validateUpdate: update,
    validateStatusUpdate: update,
  }
}

const withStatusOf = (object: KubeObject, source: KubeObject): KubeObject =>
  setOrDrop(object, 'status', source['status'])

/** Returns the part of an object that the generation counts. */
const content = (object: KubeObject, hasStatus: boolean): JsonObject =>
  without<JsonObject>(object, 'metadata', ...(hasStatus ? ['status'] : []))
