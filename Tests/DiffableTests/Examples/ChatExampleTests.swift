import Diffable
import Testing

@Suite
struct ChatExampleTests {
    private let dataController = ChatDataController()
    private let viewController: ChatViewController

    init() {
        viewController = ChatViewController(dataController: dataController)
        viewController.viewDidLoad()
    }

    private var table: ChatViewController.Table { viewController.tableView }

    @Test
    func theChatOpensWithTwoEmptySections() {
        #expect(table.rows == [[], []] && viewController.lastVisibleRow == nil)
    }

    @Test
    func aMessageFromTheSocketIsOneInsertionAndIsScrolledTo() {
        dataController.loadOlder([ChatMessage("hello"), ChatMessage("hi")])
        dataController.receive(ChatMessage("how are you?"))

        #expect(table.rows == [["hello", "hi"], ["how are you?"]])
        #expect(table.performed.last?.insertedItems == [ItemPath(section: 1, item: 0)])
        #expect(viewController.lastVisibleRow == ItemPath(row: 0, section: 1))
    }

    @Test
    func anOlderPageComesInFront() {
        dataController.loadOlder([ChatMessage("c")])
        dataController.loadOlder([ChatMessage("a"), ChatMessage("b")])

        #expect(table.rows == [["a", "b", "c"], []])
        #expect(table.performed.last?.insertedItems.map(\.item) == [0, 1])
        #expect(viewController.lastVisibleRow == ItemPath(row: 2, section: 0))
    }

    @Test
    func anEditFillsInTheSameRowAgain() {
        let message = ChatMessage("tpyo")
        dataController.receive(message)
        dataController.edit(ChatMessage(id: message.id, "typo"))

        #expect(table.rows == [[], ["typo"]])
        #expect(table.performed.last?.reconfiguredItems.map(\.to) == [ItemPath(section: 1, item: 0)])
        #expect(table.performed.last?.changesPlaces == false)
    }

    @Test
    func aDeletedMessageIsOneDeletion() {
        let message = ChatMessage("oops")
        dataController.receive(message)
        dataController.receive(ChatMessage("fine"))
        dataController.delete(message)

        #expect(table.rows == [[], ["fine"]])
        #expect(table.performed.last?.deletedItems == [ItemPath(section: 1, item: 0)])
    }
}
