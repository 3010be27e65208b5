package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A folder with a Linux of its own, for root alone. Every command has mounts of its own, so that none is left, and
 * shares the network, so that it reaches the servers of a test.
 */
record CleanRoot(Path folder) {
    record Ended(int code, String output) {}

    /**
     * Installs Debian's smallest system, with systemd's units. Takes minutes and needs Debian's mirror.
     *
     * @param model such a system, which is copied instead; or {@code true} for none
     */
    static CleanRoot debian(Path folder, String model) throws IOException, InterruptedException {
        List<String> install =
                List.of("debootstrap", "--variant=minbase", "--include=systemd", "bookworm", folder.toString());
        Ended ended = run(model.equals("true") ? install : List.of("cp", "-a", model, folder.toString()));
        assertThat(ended.code()).as(ended.output()).isZero();
        CleanRoot root = new CleanRoot(folder);
        assertThat(root.run("apt-get", "update", "-q").code()).isZero();
        return root;
    }

    Path at(String path) {
        return folder.resolve(path);
    }

    /** Returns a command inside, as a user and group such as {@code 0:0}. Its process is the program itself. */
    List<String> command(String user, String... words) {
        List<String> all = new ArrayList<>(List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mkdir -p \"$0/proc\" && mount -t proc proc \"$0/proc\" && u=$1 && shift"
                        + " && exec chroot --userspec=\"$u\" \"$0\" \"$@\"",
                folder.toString(),
                user));
        all.addAll(List.of(words));
        return all;
    }

    Ended run(String... words) throws IOException, InterruptedException {
        return run(command("0:0", words));
    }

    static Ended run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        builder.environment().remove("JAVA_HOME");
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    /**
     * Makes maintainer scripts believe that systemd runs: its {@code systemctl} writes the arguments of each call to
     * /systemctl.log, and the service is active for it.
     */
    void pretendSystemd() throws IOException {
        Files.createDirectories(at("run/systemd/system"));
        Path systemctl = at("usr/bin/systemctl");
        Files.writeString(systemctl, "#!/bin/sh\necho \"$*\" >>/systemctl.log\n");
        assertThat(systemctl.toFile().setExecutable(true)).isTrue();
        Files.writeString(at("systemctl.log"), "");
    }

    /** Returns what systemctl was called with since the last call of this method. */
    List<String> systemctlCalls() throws IOException {
        List<String> calls = Files.readAllLines(at("systemctl.log"));
        Files.writeString(at("systemctl.log"), "");
        return calls;
    }
}
