import Testing

@testable import CrashTesting

@Suite struct ImageRecipeTests {
    @Test(
        "The text of a recipe makes the same recipe again",
        arguments: [
            "keep=none", "keep=0", "keep=0,2-5,7", "keep=none/tail=zeros", "keep=1-2/tail=garbage",
            "keep=0,2/tear=1:nnoozzgg", "keep=none/tear=1:no,12:g/tail=garbage",
        ])
    func roundTrip(text: String) throws {
        let recipe = try #require(ImageRecipe(text))
        #expect(recipe.description == text)
    }

    @Test("Every recipe of a history comes back from its text", arguments: 0..<20)
    func everyRecipe(seed: UInt64) {
        var random = RandomCalls(seed: seed, mayFail: true)
        random.make(12)
        for recipe in RecipeSource(history: DiskHistory(RandomCalls.start, random.calls), seed: seed) {
            #expect(ImageRecipe(recipe.description) == recipe)
            #expect(recipe.description.allSatisfy { $0.isLetter || $0.isNumber || "=,-:/".contains($0) })
        }
    }

    @Test(
        "What is no recipe is refused",
        arguments: [
            "", "keep", "keep=", "keep=x", "keep=3-1", "keep=-1", "keep=1-2-3", "keep=1,", "tail=none", "tear=1",
            "tear=1:", "tear=1:x", "tear=x:n", "keep=1/tear=1:n", "keep=0 ", "keep=0/", "more=1",
            "keep=0-9223372036854775807",
        ])
    func refused(text: String) {
        #expect(ImageRecipe(text) == nil)
    }
}
