package io.understudy.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The inputs of one target: files of hexadecimal digits, with comments after {@code #}. */
public final class Corpus {
    private static final int MAX_ROUNDS = 6;
    private static final int[] FAVOURITES = {0, 1, 2, 3, 0x7F, 0x80, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF};

    private final Map<String, byte[]> inputs = new TreeMap<>();
    private final List<byte[]> list;

    public Corpus(String target) {
        URL folder = Corpus.class.getResource("/io/understudy/fuzz/" + target);
        if (folder == null) {
            throw new IllegalStateException("no corpus for " + target);
        }
        try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
            for (Path file : files.toList()) {
                inputs.put(file.getFileName().toString(), parse(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        list = List.copyOf(inputs.values());
    }

    private static byte[] parse(Path file) throws IOException {
        String digits = Files.readAllLines(file).stream()
                .map(line -> line.replaceAll("#.*", "").replaceAll("\\s", ""))
                .collect(Collectors.joining());
        return HexFormat.of().parseHex(digits);
    }

    public Map<String, byte[]> inputs() {
        return inputs;
    }

    /**
     * Returns one of the inputs with changed bytes, wrong lengths, or parts duplicated, removed or taken from another
     * input.
     */
    public byte[] mutated(Random random) {
        byte[] bytes = pick(random).clone();
        for (int rounds = random.nextInt(MAX_ROUNDS); rounds >= 0; rounds--) {
            bytes = mutate(bytes, random);
        }
        return bytes;
    }

    private byte[] pick(Random random) {
        return list.get(random.nextInt(list.size()));
    }

    private byte[] mutate(byte[] bytes, Random random) {
        int length = bytes.length;
        int at = random.nextInt(length + 1);
        int to = at + random.nextInt(Math.min(length - at, 64) + 1);
        return switch (random.nextInt(8)) {
            case 0 -> set(bytes, at, random.nextInt(256));
            case 1, 2 -> set(bytes, at, FAVOURITES[random.nextInt(FAVOURITES.length)]);
            case 3 -> set(bytes, at, (at < length ? bytes[at] : 0) + random.nextInt(5) - 2);
            case 4 -> splice(bytes, at, to, new byte[0]);
            case 5 -> splice(bytes, at, at, java.util.Arrays.copyOfRange(bytes, at, to));
            case 6 -> {
                byte[] other = pick(random);
                int from = random.nextInt(other.length + 1);
                int until = from + random.nextInt(Math.min(other.length - from, 256) + 1);
                yield splice(bytes, at, to, java.util.Arrays.copyOfRange(other, from, until));
            }
            default -> {
                byte[] noise = new byte[random.nextInt(8)];
                random.nextBytes(noise);
                yield splice(bytes, at, to, noise);
            }
        };
    }

    private static byte[] set(byte[] bytes, int at, int value) {
        if (at < bytes.length) {
            bytes[at] = (byte) value;
        }
        return bytes;
    }

    private static byte[] splice(byte[] bytes, int from, int to, byte[] middle) {
        byte[] out = new byte[bytes.length - (to - from) + middle.length];
        System.arraycopy(bytes, 0, out, 0, from);
        System.arraycopy(middle, 0, out, from, middle.length);
        System.arraycopy(bytes, to, out, from + middle.length, bytes.length - to);
        return out;
    }
}
