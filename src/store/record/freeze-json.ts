/**
 * Freezes `value` and everything in it, and throws a TypeError that names the path of whatever JSON would not give back
 * as it is (`undefined`, functions, dates, bigints, NaN): an object that is kept beside its text must equal its text.
 */
export function freezeJson(value: unknown, path = ''): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value !== 'object')
    throw new TypeError(`${path}: ${typeof value === 'number' ? value : typeof value} is not JSON`)
  if (!Array.isArray(value) && Object.prototype.toString.call(value) !== '[object Object]')
    throw new TypeError(`${path}: ${Object.prototype.toString.call(value)} is not JSON`)
  for (const [key, inner] of Object.entries(value)) freezeJson(inner, `${path}.${key}`)
  Object.freeze(value)
}
