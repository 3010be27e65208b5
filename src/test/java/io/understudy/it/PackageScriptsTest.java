package io.understudy.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts and the unit of the .deb, as files: what they have systemd do, by a {@code systemctl} that notes its
 * calls. CleanRootTest has apt run them.
 */
class PackageScriptsTest {
    private static final Path SOURCE = DocsTest.ROOT.resolve("proxy-cli/app/src");

    @TempDir
    private Path folder;

    @BeforeEach
    void system() throws IOException {
        Files.createDirectories(folder.resolve("systemd"));
        Files.createDirectories(folder.resolve("etc"));
        for (String tool : List.of("getent", "adduser", "chgrp")) {
            tool(tool, "exit 0");
        }
        configuration("listen: { address: \"127.0.0.1:3307\", reusePort: true }");
        systemctl("");
    }

    private void configuration(String listen) throws IOException {
        Files.writeString(folder.resolve("etc/understudy.yaml"), listen + "\n");
    }

    /** Has systemd refuse the calls that contain {@code fails}. */
    private void systemctl(String fails) throws IOException {
        tool(
                "systemctl",
                "echo \"$*\" >>'" + folder + "/calls'; case \"$*\" in "
                        + (fails.isEmpty() ? "none" : "*'" + fails + "'*") + ") exit 1 ;; esac");
    }

    private void tool(String name, String body) throws IOException {
        Path tool = Files.createDirectories(folder.resolve("bin")).resolve(name);
        Files.writeString(tool, "#!/bin/sh\n" + body + "\n");
        assertThat(tool.toFile().setExecutable(true)).isTrue();
    }

    /** Runs the script and returns what it says; the calls are in a file. */
    private String postinst(String... arguments) throws IOException, InterruptedException {
        String script = Files.readString(SOURCE.resolve("deb/control/postinst"))
                .replace("/run/systemd/system", folder.resolve("systemd").toString())
                .replace("/etc/understudy/", folder.resolve("etc") + "/");
        Path copy = Files.writeString(folder.resolve("postinst"), script);
        ProcessBuilder builder = new ProcessBuilder("sh", copy.toString()).redirectErrorStream(true);
        builder.command().addAll(List.of(arguments));
        builder.environment().merge("PATH", folder.resolve("bin").toString(), (path, tools) -> tools + ":" + path);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private List<String> calls() throws IOException {
        return Files.readAllLines(folder.resolve("calls"));
    }

    @Test
    void aFirstInstallationStartsNothing() throws Exception {
        assertThat(postinst("configure", "")).contains("systemctl enable --now understudy");
        assertThat(calls()).containsExactly("daemon-reload");
    }

    @Test
    void anUpgradeRestartsWhatRuns() throws Exception {
        configuration("listen: { address: \"127.0.0.1:3307\" }    # reusePort: true");
        assertThat(postinst("configure", "1")).isEmpty();
        assertThat(calls())
                .containsExactly(
                        "daemon-reload", "--quiet is-active understudy.service", "try-restart understudy.service");
    }

    @Test
    void anUpgradeHasASecondProcessListenMeanwhile() throws Exception {
        assertThat(postinst("configure", "1")).isEmpty();
        assertThat(calls())
                .containsSubsequence(
                        "start understudy@next.service",
                        "try-restart understudy.service",
                        "stop understudy@next.service");
    }

    /** A version that refuses the file, for one: the clients keep the process that they have. */
    @Test
    void aVersionThatDoesNotStartReplacesNothing() throws Exception {
        systemctl("start understudy@next");
        assertThat(postinst("configure", "1"))
                .contains("the old version goes on")
                .doesNotContain("serves the clients");
        assertThat(calls())
                .containsSubsequence("start understudy@next.service", "stop understudy@next.service")
                .noneMatch(call -> call.contains("restart"));
    }

    @Test
    void theSecondProcessStaysIfTheServiceDoesNotComeUp() throws Exception {
        // Active before, and no longer after the restart.
        tool(
                "systemctl",
                "echo \"$*\" >>'" + folder + "/calls'; case \"$*\" in *is-active*) ! grep -q try-restart '" + folder
                        + "/calls' ;; esac");
        assertThat(postinst("configure", "1")).contains("understudy@next.service serves the clients");
        assertThat(calls()).doesNotContain("stop understudy@next.service");
    }

    /**
     * The JVM looks for IPv6 in /proc/net, which is not there with ProcSubset=pid: it could neither bind nor connect.
     */
    @Test
    void theUnitLeavesIpv6ToTheProxy() throws Exception {
        assertThat(Files.readAllLines(SOURCE.resolve("dist/systemd/understudy.service")))
                .contains("ProtectProc=invisible")
                .noneMatch(line -> line.startsWith("ProcSubset="));
    }

    @Test
    void theExamplesSocketIsWhereTheUnitMayWrite() throws Exception {
        String unit = Files.readString(SOURCE.resolve("dist/systemd/understudy.service"));
        assertThat(unit).contains("ProtectSystem=strict", "\nRuntimeDirectory=understudy\n");
        assertThat(Files.readString(DocsTest.ROOT.resolve("docs/examples/full.yaml")))
                .containsPattern("address: 127.0.0.1:3307 +# or unix:/run/understudy/");
    }
}
