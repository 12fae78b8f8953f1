"""What random Java methods open, how, and what they do with it."""

IN, FILE, READER, OUT, WRITER, GATE, BAG, SOCKET, CONNECTION, STATEMENT, ROWS = (
    "InputStream", "FileInputStream", "BufferedReader", "OutputStream", "PrintWriter", "Gate", "Bag", "Socket", "Connection", "PreparedStatement", "ResultSet",
)
RESULTS = {"int": "int", "in": IN, "reader": READER, "gate": GATE, "void": "void"}
INPUTS = ("a", "b", "c")
NEW = {
    IN: ('new FileInputStream("in")', 'new BufferedInputStream(new FileInputStream("in"))', "open({0})", "new FileInputStream(new File(\"in\"))"),
    FILE: ('new FileInputStream("file")',),
    READER: ('lines("lines")', 'new BufferedReader(new FileReader("text"))', 'new BufferedReader(new InputStreamReader(new FileInputStream("text")))'),
    OUT: ('new FileOutputStream("out")', 'new BufferedOutputStream(new FileOutputStream("out"))'),
    WRITER: ('new PrintWriter(new FileWriter("written"))',),
    GATE: ('new Gate("gate")', "Gate.of({0})"),
    BAG: ("new Bag()",),
    SOCKET: ('new Socket("host", 80)',),
    CONNECTION: ('DriverManager.getConnection("url")',),
}
USES = {
    IN: ("sum += {0}.read();", "sum += look({0});"),
    FILE: ("sum += {0}.read();", "sum += look({0});"),
    READER: ("sum += worth({0}.readLine());",),
    OUT: ("{0}.write(sum);",),
    WRITER: ("{0}.println(sum);",),
    GATE: ("sum += {0}.read();", "{0}.poke();"),
    BAG: ("sum += {0}.size();",),
    SOCKET: ("sum += {0}.getInputStream().read();", "{0}.getOutputStream().write(sum);"),
    CONNECTION: ("{0}.commit();",),
    STATEMENT: ("sum += {0}.executeUpdate();",),
    ROWS: ("sum += {0}.next() ? {0}.getInt(1) : 0;", "while ({0}.next()) sum += {0}.getInt(1);"),
}
FITTING = {"in": (IN, FILE), "reader": (READER,), "gate": (GATE,)}
"""What may be the result of a method of a kind."""

STEMS = {
    IN: "in", FILE: "file", READER: "reader", OUT: "out", WRITER: "writer", GATE: "gate", BAG: "bag",
    SOCKET: "socket", CONNECTION: "connection", STATEMENT: "statement", ROWS: "rows",
}
"""How variables are called."""


def joined(here: str, there: str) -> str:
    """What a variable holds behind two ways."""
    if here == there:
        return here
    return "maybe" if {here, there} & {"owned", "maybe"} else "gone"
