// What `require('allot')` gives.
require('./node-version.cjs')
module.exports = require('../dist/sdk/index.js')
