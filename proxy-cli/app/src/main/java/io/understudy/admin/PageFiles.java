package io.understudy.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the dashboard page, read and compressed once. They are a fixed list, so no path of a request ever names
 * a file. The policy lets the page load nothing but these files, and no script or style within the HTML.
 */
final class PageFiles {

    private static final String FOLDER = "/dashboard/";
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final String HTML = "text/html; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";

    private record File(String type, byte[] bytes, byte[] compressed, String tag) {}

    private final Map<String, File> files = new LinkedHashMap<>();

    PageFiles() {
        add("/", "index.html", HTML);
        for (String style : new String[] {"style.css", "uplot.min.css"}) {
            add(FOLDER + style, style, STYLE);
        }
        for (String script : new String[] {
            "main.js",
            "dom.js",
            "format.js",
            "source.js",
            "readiness.js",
            "charts.js",
            "advice.js",
            "answers.js",
            "standby-answer.js",
            "overview.js",
            "pages.js",
            "uplot.min.js"
        }) {
            add(FOLDER + script, script, SCRIPT);
        }
        add(FOLDER + "icon.svg", "icon.svg", "image/svg+xml");
    }

    private void add(String path, String name, String type) {
        byte[] bytes = read(name);
        files.put(path, new File(type, bytes, compress(bytes), tag(bytes)));
    }

    /** Returns the response to a request for one of the files, or null if the path is none of theirs. */
    @Nullable
    AdminResponse response(String path, HttpHeaders request) {
        File file = files.get(path);
        if (file == null) {
            return null;
        }
        boolean compressed = request.contains(HttpHeaderNames.ACCEPT_ENCODING)
                && request.get(HttpHeaderNames.ACCEPT_ENCODING).contains("gzip");
        String tag = compressed ? file.tag().replaceFirst("\"$", "-gz\"") : file.tag();
        String known = request.get(HttpHeaderNames.IF_NONE_MATCH);
        boolean same = known != null && known.contains(tag);
        AdminResponse response = new AdminResponse(
                        same ? HttpResponseStatus.NOT_MODIFIED : HttpResponseStatus.OK,
                        file.type(),
                        same ? new byte[0] : compressed ? file.compressed() : file.bytes(),
                        Map.of())
                // Asked again each time: after an upgrade the page and its scripts must be of one version.
                .with("Cache-Control", "no-cache")
                .with("ETag", tag)
                .with("Vary", "Accept-Encoding")
                .with("Content-Security-Policy", POLICY)
                .with("Referrer-Policy", "no-referrer");
        return compressed && !same ? response.with("Content-Encoding", "gzip") : response;
    }

    private static byte[] read(String name) {
        try (InputStream in = PageFiles.class.getResourceAsStream("dashboard/" + name)) {
            if (in == null) {
                throw new IllegalStateException("dashboard/" + name + " is missing from the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] compress(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static String tag(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(hash, 0, 8) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
