import { declare } from './declaration.ts'
import type { Declarations } from './declaration.ts'
import { authorizers } from './authorizer-functions.ts'
import { conversions } from './type-conversion.ts'
import { formats } from './format.ts'
import { lists } from './list.ts'
import { networks } from './net.ts'
import { operators } from './operators.ts'
import { optionals } from './optional.ts'
import { quantities } from './quantity-functions.ts'
import { regexes } from './regex.ts'
import { versions } from './semver.ts'
import { sets } from './set.ts'
import { strings } from './string.ts'
import { times } from './time.ts'
import { urls } from './url.ts'

/** Every function that Kubernetes 1.36 gives its expressions. */
export const KUBERNETES_FUNCTIONS: Declarations = declare(
  operators,
  conversions,
  strings,
  regexes,
  lists,
  sets,
  times,
  optionals,
  urls,
  quantities,
  networks,
  versions,
  formats,
  authorizers,
)
