/** What an object, a list or a text takes besides its content, and what a number or the like takes. */
const NODE_BYTES = 16

/** About as many bytes as a value of JSON takes in memory, from below. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return NODE_BYTES + value.length
  if (typeof value !== 'object' || value === null) return NODE_BYTES
  let sum = NODE_BYTES
  if (Array.isArray(value)) for (const item of value) sum += weightOf(item)
  else for (const [name, item] of Object.entries(value)) sum += name.length + NODE_BYTES + weightOf(item)
  return sum
}
