import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the files whose paths it reads, each alone, and writes each error without its place, then a dot. Arguments: options. */
class CompileEach {
    public static void main(String[] options) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path; (path = in.readLine()) != null;) {
            for (String each : compile(Path.of(path), options)) {
                System.out.println(each);
            }
            System.out.println(".");
            System.out.flush();
        }
    }

    private static List<String> compile(Path source, String[] given) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        Path classes = Files.createTempDirectory("classes");
        List<String> options = new ArrayList<>(List.of(given));
        options.addAll(List.of("-d", classes.toString()));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, Locale.ENGLISH, null)) {
            compiler.getTask(null, files, found, options, null, files.getJavaFileObjects(source)).call();
        }
        try (var all = Files.walk(classes)) {
            all.sorted(Comparator.reverseOrder()).forEach(each -> each.toFile().delete());
        }
        List<String> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> each : found.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                List<String> lines = each.getMessage(Locale.ENGLISH).lines().map(String::strip).filter(line -> !line.startsWith("location:")).toList();
                errors.add(String.join(" ", lines));
            }
        }
        return errors;
    }
}
