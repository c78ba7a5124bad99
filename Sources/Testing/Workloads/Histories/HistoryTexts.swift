import LabSupport

/// Realistic task texts in several languages, composed of parts.
enum HistoryTexts {
    /// The parts of one language.
    struct Language {
        let name: String
        let actions: [String]
        let objects: [String]
        let details: [String]
        /// The separator of parts; some languages have no spaces.
        var separator = " "
        /// Whether the action comes after the object.
        var actionIsLast = false
    }

    /// The relative frequencies of languages.
    private static let weights = languages.enumerated().map { index, _ in index == 0 ? 60 : 8 }

    /// Returns a task's text: usually 20 to 80 characters, with a long tail.
    static func text(using generator: inout SeededGenerator) -> String {
        let language = Self.languages[generator.index(weights: Self.weights)]
        let action = generator.element(of: language.actions) ?? ""
        let object = generator.element(of: language.objects) ?? ""
        var text =
            language.actionIsLast
            ? object + language.separator + action : action + language.separator + object
        let details = language.details
        let first = generator.number(below: details.count)
        for number in 0..<min(generator.longTail(scale: 3, doublings: 3), details.count) {
            text += language.separator + details[(first + number) % details.count]
        }
        if generator.chance(perMille: 120) { text += " #\(generator.number(below: 4000))" }
        if generator.chance(perMille: 30) { text += " " + (generator.element(of: marks) ?? "") }
        return text
    }

    /// Returns notes: several hundred characters in lines.
    static func notes(using generator: inout SeededGenerator) -> String {
        var lines: [String] = []
        for _ in 0..<(4 + generator.longTail(scale: 6, doublings: 4)) { lines.append("- " + text(using: &generator)) }
        return lines.joined(separator: "\n")
    }

    private static let marks = ["📌", "🚀", "👩‍👩‍👧", "☎️", "🇹🇷", "✅"]
}

extension HistoryTexts {
    static let languages = [english, german, turkish, spanish, greek, japanese, arabic]

    private static let english = Language(
        name: "en",
        actions: [
            "Review", "Write", "Send", "Call about", "Fix", "Prepare", "Read", "Book", "Pay", "Plan", "Update",
            "Discuss",
            "Clean up", "Order", "Test", "Ask for", "Finish", "Measure", "Back up", "Print",
        ],
        objects: [
            "chapter 3", "the quarterly report", "the invoice", "the dentist", "the login page", "slides for Monday",
            "the release notes", "train tickets", "the electricity bill", "the team lunch", "the design document",
            "the budget", "old photographs", "printer paper", "the import of large files", "the lease",
            "the garden fence",
            "the benchmark results", "the thesis outline", "a birthday present",
        ],
        details: [
            "before lunch", "with Ada", "for the client in Izmir", "(second draft)", "and archive the old one",
            "after the meeting", "on the shared drive", "as agreed last week", "if there is time",
            "with the new template",
            "at the office", "without the appendix",
        ])

    private static let german = Language(
        name: "de",
        actions: [
            "prüfen", "schreiben", "abschicken", "besprechen", "überarbeiten", "bestellen", "aufräumen", "zahlen",
        ],
        objects: [
            "Kapitel 3", "die Rechnung für März", "den Jahresabschluss", "die Wohnungsübergabe", "den Zahnarzttermin",
            "das Angebot an die Stadtwerke", "die Straßenbahnkarte",
        ],
        details: ["vor dem Mittagessen", "mit Jürgen", "bis spätestens Freitag", "für die Prüfung", "noch einmal"],
        actionIsLast: true)

    private static let turkish = Language(
        name: "tr",
        actions: ["gözden geçir", "yaz", "gönder", "ara", "öde", "hazırla", "oku", "düzelt"],
        objects: [
            "üçüncü bölümü", "elektrik faturasını", "diş hekimini", "proje raporunu", "İstanbul biletlerini",
            "ığdır toplantısının notlarını", "kira sözleşmesini",
        ],
        details: ["öğleden önce", "Ayşe ile", "müşteri için", "toplantıdan sonra", "ofiste"],
        actionIsLast: true)

    private static let spanish = Language(
        name: "es",
        actions: ["Revisar", "Escribir", "Enviar", "Llamar por", "Pagar", "Preparar", "Leer", "Reservar"],
        objects: [
            "el capítulo 3", "la factura de la luz", "el informe trimestral", "la reunión del año que viene",
            "los billetes a Málaga", "el contrato", "las fotos de la niña",
        ],
        details: ["antes de comer", "con Íñigo", "para mañana", "según lo acordado", "en la oficina"])

    private static let greek = Language(
        name: "el",
        actions: ["Έλεγχος", "Γράψε", "Στείλε", "Πλήρωσε", "Ετοίμασε", "Διάβασε"],
        objects: ["το κεφάλαιο 3", "τον λογαριασμό", "την αναφορά", "τα εισιτήρια", "το συμβόλαιο"],
        details: ["πριν το μεσημέρι", "με τη Μαρία", "για τον πελάτη", "αύριο"])

    private static let japanese = Language(
        name: "ja",
        actions: ["を確認する", "を書く", "を送る", "を予約する", "を支払う", "を準備する"],
        objects: ["第三章", "四半期の報告書", "電気料金", "歯医者", "会議の資料", "新幹線の切符"],
        details: ["（昼まで）", "（田中さんと）", "（来週）", "（再確認）"],
        separator: "",
        actionIsLast: true)

    private static let arabic = Language(
        name: "ar",
        actions: ["مراجعة", "كتابة", "إرسال", "دفع", "تحضير", "قراءة"],
        objects: ["الفصل الثالث", "فاتورة الكهرباء", "التقرير", "تذاكر القطار", "عقد الإيجار"],
        details: ["قبل الغداء", "مع أحمد", "للعميل", "غدا"])
}
