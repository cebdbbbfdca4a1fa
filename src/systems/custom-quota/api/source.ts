import { listOf } from '../../../api/definition/collection.ts'
import { labelSelectorFields } from '../../../api/definition/label-selector-type.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { choice, text } from '../../../api/definition/scalar-type.ts'
import { defaulted, optional, type TypeOf } from '../../../api/definition/schema.ts'

/** The most characters of one CEL expression. */
export const MAX_CEL_LENGTH = 4096
const MAX_CEL_EXPRESSIONS = 64

/** One entry of a source's selectors. */
export const sourceSelector = object(
  'Selects objects of the source. All parts of the entry must hold.',
  {
    ...labelSelectorFields,
    fieldSelectors: optional(
      listOf(
        'JSONPath expressions. Each must find a value other than the empty text, false and 0, or satisfy its comparison: path=value, path!=value.',
        text(),
      ),
    ),
    celExpressions: optional(
      listOf(
        'CEL expressions on the variable object. Each must be true.',
        text(undefined, { minLength: 1, maxLength: MAX_CEL_LENGTH }),
        { maxItems: MAX_CEL_EXPRESSIONS },
      ),
    ),
  },
  { mapType: 'atomic' },
)

/** How an object's amount enters the usage of a quota. */
export const operation = choice(
  'How each object changes the usage: add adds the amount, sub subtracts it, count adds 1.',
  ['add', 'sub', 'count'],
  'add',
)

/** The fields that a source and a target share: they select the amount that is measured. */
export const measureFields = {
  op: defaulted(operation, 'add'),
  path: optional(text('The JSONPath to the amounts of an object, such as .spec.resources.requests.storage.')),
  cel: optional(
    text('The CEL expression that gives the amount of an object: a quantity or a list of quantities.', {
      maxLength: MAX_CEL_LENGTH,
    }),
  ),
  selectors: optional(
    listOf(
      'The objects of the kind that are counted: those that any entry selects. None: all of them.',
      sourceSelector,
    ),
  ),
}

/** One kind of objects that a quota counts, and what each of them costs. */
export const source = object(
  'Objects of one kind, and what each of them costs.',
  {
    apiVersion: optional(text('The group and the version of the kind, such as apps/v1. Without one: v1.')),
    group: optional(text('The group of the kind, where apiVersion is not given.')),
    version: optional(text('The version of the kind, where apiVersion is not given.')),
    kind: text('The kind.', { minLength: 1 }),
    ...measureFields,
  },
  {
    validations: [
      {
        rule: "self.op == 'count' ? (!has(self.path) || size(self.path) == 0) && (!has(self.cel) || size(self.cel) == 0) : (has(self.path) && size(self.path) > 0) != (has(self.cel) && size(self.cel) > 0)",
        message:
          "path and cel must be empty when op is 'count'; otherwise exactly one of path or cel must be set and non-empty",
      },
    ],
  },
)

export type QuotaSource = TypeOf<typeof source>
export type QuotaOperation = TypeOf<typeof operation>
export type SourceSelector = TypeOf<typeof sourceSelector>
