package io.understudy.config.bind.yaml;

import io.understudy.base.ByteSize;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Reads the small texts of a configuration: the file itself, and those whose contents it takes over. Stateless. */
public final class TextFile {
    private TextFile() {}

    /** Says what is wrong with a file: a predicate without the file's name. */
    public static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1;

        private UnreadableException(String predicate) {
            super(predicate);
        }
    }

    /**
     * Returns a file's text, which is UTF-8.
     *
     * @param maxBytes keeps a wrong file name from filling the memory
     */
    public static String read(Path file, int maxBytes) throws UnreadableException {
        try {
            if (mayWait(file)) {
                throw new UnreadableException("is a pipe or a device, which a reload would wait for; name a file");
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(maxBytes + 1);
                if (bytes.length > maxBytes) {
                    throw new UnreadableException("is larger than " + new ByteSize(maxBytes));
                }
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            }
        } catch (CharacterCodingException e) {
            throw new UnreadableException("is not UTF-8 text");
        } catch (NoSuchFileException e) {
            throw new UnreadableException("does not exist");
        } catch (AccessDeniedException e) {
            throw new UnreadableException("cannot be read by this user: check its owner and mode, or run this as root");
        } catch (IOException e) {
            throw new UnreadableException("cannot be read (" + e.getMessage() + ")");
        }
    }

    /** A shell hands a command its input below /dev, where somebody writes already. */
    private static boolean mayWait(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).isOther() && !file.startsWith("/dev");
    }
}
