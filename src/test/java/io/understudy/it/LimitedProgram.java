package io.understudy.it;

import static org.awaitility.Awaitility.await;

import io.understudy.config.Transport;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Runs {@code understudy run} in its own process with a low limit of open files, from jars like {@code ./understudy}.
 */
final class LimitedProgram implements AutoCloseable {
    private static final Pattern LISTENS = Pattern.compile("listening on \\[/127\\.0\\.0\\.1:(\\d+)]");
    private static final Pattern ADMIN = Pattern.compile("admin endpoint on http://127\\.0\\.0\\.1:(\\d+)/");

    private final Process process;
    private final Path log;

    private LimitedProgram(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    static LimitedProgram start(Path folder, Transport transport, InetSocketAddress primary, int limit)
            throws IOException {
        Path config = Files.writeString(folder.resolve("limited.yaml"), """
                transport: %s
                listen: { address: "127.0.0.1:0" }
                primary: { address: "127.0.0.1:%d", tls: { mode: disabled } }
                admin: { address: "127.0.0.1:0" }
                """.formatted(transport, primary.getPort()));
        Path log = folder.resolve("limited.log");
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n " + limit + " && exec \"$@\"",
                        "sh",
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx256m",
                        "-cp",
                        jars(folder),
                        "io.understudy.cli.Understudy",
                        "run",
                        "-c",
                        config.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        LimitedProgram program = new LimitedProgram(process, log);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !process.isAlive()
                        || LISTENS.matcher(program.log()).find()
                                && ADMIN.matcher(program.log()).find());
        return program;
    }

    /** Returns this JVM's class path with every folder packed into a jar. */
    private static String jars(Path folder) throws IOException {
        List<String> all = new ArrayList<>();
        String own = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : own.split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                Path jar = folder.resolve("packed-" + all.size() + ".jar");
                pack(path, jar);
                all.add(jar.toString());
            } else {
                all.add(entry);
            }
        }
        return String.join(File.pathSeparator, all);
    }

    private static void pack(Path from, Path jar) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream zip = new JarOutputStream(out, manifest);
                Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                zip.putNextEntry(new ZipEntry(from.relativize(file).toString()));
                Files.copy(file, zip);
            }
        }
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    private InetSocketAddress find(Pattern pattern) throws IOException {
        Matcher found = pattern.matcher(log());
        if (!found.find()) {
            throw new IOException("the program has not started: " + log());
        }
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(found.group(1)));
    }

    InetSocketAddress address() throws IOException {
        return find(LISTENS);
    }

    InetSocketAddress adminAddress() throws IOException {
        return find(ADMIN);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
