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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The certificates and keys that the sections of a configuration name. Each call reads the files. */
public final class SectionTls {
    private SectionTls() {}

    /** @param values of the section, by which it is compared */
    private record Section(Object values, Reading reading) {}

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
     * @param running sections that are as in this configuration are not read; or null
     * @throws ConfigException names each section whose files cannot be used
     */
    public static void ensureUsable(LoadedConfig next, @Nullable UnderstudyConfig running) throws ConfigException {
        Map<String, Section> known = running == null ? Map.of() : sections(running);
        List<Problem> problems = new ArrayList<>();
        sections(next.config()).forEach((path, section) -> {
            Section before = known.get(path);
            if (before != null && before.values.equals(section.values)) {
                return;
            }
            try {
                section.reading.read();
            } catch (TlsFilesException e) {
                problems.add(new Problem(Problem.Severity.ERROR, path, Position.NONE, "", e.getMessage(), ""));
            }
        });
        if (!problems.isEmpty()) {
            throw new ConfigException(problems, next.files());
        }
    }

    private static Map<String, Section> sections(UnderstudyConfig config) {
        Map<String, Section> sections = new LinkedHashMap<>();
        ListenTls listen = config.listen().tls();
        if (listen.terminates()) {
            sections.put("listen.tls", new Section(listen, () -> accepting(listen)));
        }
        server(sections, "primary.tls", config.primary().tls());
        int index = 0;
        for (StandbyConfig standby : config.standbys()) {
            server(sections, "standbys[" + index++ + "].tls", standby.tls());
        }
        AdminTls admin = config.admin().tls();
        if (config.admin().enabled() && admin != null) {
            sections.put("admin.tls", new Section(admin, () -> accepting(admin)));
        }
        OtlpConfig otlp = config.metrics().otlp();
        OtlpTls collector = otlp == null ? null : otlp.tls();
        if (collector != null) {
            sections.put("metrics.otlp.tls", new Section(collector, () -> connecting(collector)));
        }
        return sections;
    }

    private static void server(Map<String, Section> sections, String path, ServerTlsConfig tls) {
        if (tls.mode() != ServerTlsMode.DISABLED) {
            sections.put(path, new Section(tls, () -> connecting(tls)));
        }
    }
}
