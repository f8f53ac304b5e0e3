package compile

// EngineGaps is engineGaps, for the tests of package compile_test.
const EngineGaps = engineGaps
