package io.understudy.option;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The account and TLS for a server that a command connects to by itself. */
public final class ServerLoginOptions {
    private static final String VARIABLE = "UNDERSTUDY_REPLAY_PASSWORD";

    @Option(names = "--user", paramLabel = "USER", description = "The account (default: root).")
    private String user = "root";

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "A file with the password; without it, the variable " + VARIABLE + ", or none.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--tls",
            paramLabel = "MODE",
            description = "disabled, preferred (default), required, verify-ca or verify-full.")
    private String tls = "preferred";

    @Option(names = "--ca", paramLabel = "FILE", description = "Certificate authorities for verify-ca and verify-full.")
    private @Nullable Path ca;

    public String user() {
        return user;
    }

    public Secret password() throws IOException {
        return password(passwordFile);
    }

    /** Returns the content of a file with a password, or that of the variable. */
    public static Secret password(@Nullable Path file) throws IOException {
        return Secret.parse(
                file == null
                        ? Objects.requireNonNullElse(System.getenv(VARIABLE), "")
                        : Files.readString(file).strip());
    }

    public ServerTlsConfig tls(CommandLine line) {
        try {
            return new ServerTlsConfig(
                    ServerTlsMode.valueOf(tls.toUpperCase(Locale.ROOT).replace('-', '_')), ca, null, null);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(line, "--tls: " + e.getMessage());
        }
    }

    /**
     * Returns the server that an option names.
     *
     * @throws CommandLine.ParameterException if it is no host with a port
     */
    public static Address address(String option, String text, CommandLine line) {
        String problem = "expected host:port";
        try {
            Address address = Address.parse(text);
            if (!address.isUnix()) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            problem = String.valueOf(e.getMessage());
        }
        throw new CommandLine.ParameterException(line, option + ": " + problem);
    }
}
