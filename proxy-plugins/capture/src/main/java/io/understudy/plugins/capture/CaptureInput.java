package io.understudy.plugins.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a file, or a directory of captures, whether compressed, encrypted or neither. */
public final class CaptureInput {
    private CaptureInput() {}

    /**
     * Opens a file or the files of a directory, the oldest first.
     *
     * @param secret of encrypted files, or null
     * @param notes receives a sentence about each file whose end is missing, as after a kill, and about missing files
     * @throws IOException also later, at what is damaged: what precedes it has been read then
     */
    public static CaptureStream open(Path path, @Nullable CaptureSecret secret, Consumer<String> notes)
            throws IOException {
        if (!Files.isDirectory(path)) {
            return new CaptureStream(List.of(part(path, secret, true, notes))).begun();
        }
        List<Path> files = CaptureFiles.list(path);
        if (files.isEmpty()) {
            throw new IOException(path + " has no files of a capture, such as capture-…-0001.zst");
        }
        List<CaptureStream.Part> parts = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            boolean last = i == files.size() - 1 || !CaptureFiles.areOfOneCapture(files.get(i), files.get(i + 1));
            if (!last && !CaptureFiles.follows(files.get(i), files.get(i + 1))) {
                notes.accept("between " + files.get(i) + " and " + files.get(i + 1) + " files of the capture are"
                        + " missing: the statements in them are not read");
            }
            parts.add(part(files.get(i), secret, last, notes));
        }
        return new CaptureStream(parts).begun();
    }

    /** Opens a stream at the first read: a live stream may have no bytes yet that tell its format. */
    public static CaptureStream lazy(
            InputStream in, String name, @Nullable CaptureSecret secret, Consumer<String> notes) {
        return new CaptureStream(
                List.of(new CaptureStream.Part(name, () -> CaptureFile.open(in, name, secret, true, notes))));
    }

    private static CaptureStream.Part part(
            Path file, @Nullable CaptureSecret secret, boolean last, Consumer<String> notes) {
        String name = file.toString();
        return new CaptureStream.Part(name, () -> {
            InputStream in = open(file);
            try {
                return CaptureFile.open(in, name, secret, last, notes);
            } catch (IOException | RuntimeException e) {
                in.close();
                throw e;
            }
        });
    }

    private static InputStream open(Path file) throws IOException {
        try {
            return Files.newInputStream(file);
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file or folder", e);
        } catch (AccessDeniedException e) {
            throw new IOException(file + " cannot be read: access denied", e);
        }
    }
}
