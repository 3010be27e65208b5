package io.understudy.connection;

import io.netty.handler.ssl.SslContext;
import io.understudy.config.AdminTls;
import io.understudy.config.ConfigException;
import io.understudy.config.ListenTls;
import io.understudy.config.LoadedConfig;
import io.understudy.config.OtlpConfig;
import io.understudy.config.OtlpTls;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.StandbyConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.problem.Problem;
import io.understudy.handshake.tls.TlsContexts;
import io.understudy.handshake.tls.TlsContexts.Verification;
import io.understudy.handshake.tls.TlsFilesException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The certificates and keys that the sections of a configuration name. Each call reads the files. */
public final class SectionTls {
    private SectionTls() {}

    /** Whose files are read with each reload, which is refused without them. */
    private static final Set<String> FOLLOWED = Set.of("listen.tls", "primary.tls", "admin.tls");

    /** @param values by which it is compared: a standby's place in the list says nothing */
    private record Section(String path, Object values, Reading reading) {}

    @FunctionalInterface
    private interface Reading {
        SslContext read() throws TlsFilesException;
    }

    /** Returns the context of a section that {@link ListenTls#terminates} TLS. */
    public static SslContext accepting(ListenTls tls) throws TlsFilesException {
        Path certificate = tls.certificate();
        Path key = tls.key();
        if (certificate == null || key == null) {
            throw new IllegalArgumentException("listen.tls has neither certificate nor key, though it terminates TLS");
        }
        return TlsContexts.accepting(certificate, key, tls.clientCa(), tls.requireClientCertificate());
    }

    public static SslContext accepting(AdminTls tls) throws TlsFilesException {
        return TlsContexts.accepting(tls.certificate(), tls.key(), null, false);
    }

    public static SslContext connecting(ServerTlsConfig tls) throws TlsFilesException {
        Verification verification = switch (tls.mode()) {
            case VERIFY_CA -> Verification.AUTHORITY;
            case VERIFY_FULL -> Verification.AUTHORITY_AND_NAME;
            default -> Verification.NONE;
        };
        return TlsContexts.connecting(verification, tls.ca(), tls.certificate(), tls.key());
    }

    public static SslContext connecting(@Nullable OtlpTls tls) throws TlsFilesException {
        return TlsContexts.connecting(Verification.AUTHORITY_AND_NAME, tls == null ? null : tls.ca(), null, null);
    }

    /**
     * Ensures that a process that starts with a configuration can use its files, also those that would wait for a
     * restart.
     *
     * @param running a section that is as in this configuration keeps no other change from taking effect; or null
     * @return a sentence for each of those whose files cannot be used
     * @throws ConfigException names each other section whose files cannot be used
     */
    public static List<String> ensureUsable(LoadedConfig next, @Nullable UnderstudyConfig running)
            throws ConfigException {
        Set<Object> known = running == null
                ? Set.of()
                : sections(running).stream().map(Section::values).collect(Collectors.toSet());
        List<Problem> problems = new ArrayList<>();
        List<String> unchanged = new ArrayList<>();
        for (Section section : sections(next.config())) {
            try {
                section.reading.read();
            } catch (TlsFilesException e) {
                String why = String.valueOf(e.getMessage());
                if (known.contains(section.values) && !FOLLOWED.contains(section.path)) {
                    unchanged.add(section.path + ": " + why + "; its new connections fail");
                } else {
                    problems.add(new Problem(Problem.Severity.ERROR, section.path, Position.NONE, "", why, ""));
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems, next.files());
        }
        return unchanged;
    }

    private static List<Section> sections(UnderstudyConfig config) {
        List<Section> sections = new ArrayList<>();
        ListenTls listen = config.listen().tls();
        if (listen.terminates()) {
            sections.add(new Section("listen.tls", listen, () -> accepting(listen)));
        }
        server(sections, "primary.tls", config.primary().tls());
        int index = 0;
        for (StandbyConfig standby : config.standbys()) {
            server(sections, "standbys[" + index++ + "].tls", standby.tls());
        }
        AdminTls admin = config.admin().tls();
        if (config.admin().enabled() && admin != null) {
            sections.add(new Section("admin.tls", admin, () -> accepting(admin)));
        }
        OtlpConfig otlp = config.metrics().otlp();
        OtlpTls collector = otlp == null ? null : otlp.tls();
        if (collector != null) {
            sections.add(new Section("metrics.otlp.tls", collector, () -> connecting(collector)));
        }
        return sections;
    }

    private static void server(List<Section> sections, String path, ServerTlsConfig tls) {
        if (tls.mode() != ServerTlsMode.DISABLED) {
            sections.add(new Section(path, tls, () -> connecting(tls)));
        }
    }
}
