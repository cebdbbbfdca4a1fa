/**
 * The part of the `Reflect` metadata proposal that tsyringe, and through it @peculiar/x509, wants to find when it is
 * loaded: import this file before either. A real polyfill that is there already stays.
 */
const kept = new WeakMap<object, Map<unknown, unknown>>()

const own = (key: unknown, target: object): unknown => kept.get(target)?.get(key)

function inherited(key: unknown, target: object): unknown {
  for (let at: object | null = target; at !== null; at = Reflect.getPrototypeOf(at))
    if (kept.get(at)?.has(key) === true) return own(key, at)
  return undefined
}

function define(key: unknown, value: unknown, target: object): void {
  const metadata = kept.get(target) ?? new Map<unknown, unknown>()
  kept.set(target, metadata.set(key, value))
}

if (!('getMetadata' in Reflect))
  Object.assign(Reflect, { getOwnMetadata: own, getMetadata: inherited, defineMetadata: define })
