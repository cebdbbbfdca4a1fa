/** One action of a template, `{…}`: its nodes run one after the other, each on the results of the one before. */
export interface ListNode {
  readonly type: 'list'
  readonly nodes: readonly PathNode[]
}

/** Text outside of braces, or a quoted literal inside: one result, whatever came in. */
export interface TextNode {
  readonly type: 'text'
  readonly text: string
}

/** `[from:to:step]`; what is `undefined` was left out. `single` marks `[n]`, where `to` is `from + 1`. */
export interface ArrayNode {
  readonly type: 'array'
  readonly from: number | undefined
  readonly to: number | undefined
  readonly step: number | undefined
  readonly single: boolean
}

/** `[?(left operator right)]`; without an operator of the template it is `exists`, and `right` is empty. */
export interface FilterNode {
  readonly type: 'filter'
  readonly left: ListNode
  readonly operator: string
  readonly right: ListNode
}

export type PathNode =
  | ListNode
  | TextNode
  | ArrayNode
  | FilterNode
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'union'; readonly lists: readonly ListNode[] }
  | { readonly type: 'identifier'; readonly name: string }
  /** A number or boolean of the template; a float that happens to be whole is a raw JSON token, so that it stays a float. */
  | { readonly type: 'literal'; readonly value: unknown }

/** A parsed template: text and actions in turn. */
export type Template = readonly (TextNode | ListNode)[]
