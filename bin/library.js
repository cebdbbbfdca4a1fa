// What `import 'allot'` gives. The first import is evaluated first.
import './node-version.cjs'
export * from '../dist/sdk/index.js'
